import ControlProtocol

/// The rows of the settings that are messages, by name.
let structuredSettingValues: [String: any TestedMessage] = [
    "effect parameters": EffectParameters(values: [
        EffectParameterValue(name: "speed", value: .integer(-7)),
        EffectParameterValue(name: "tail", value: .choice("long")),
        EffectParameterValue(name: "mirror", value: .boolean(true)),
        EffectParameterValue(name: "tint", value: .colour(0xFF_0000)),
    ]),
    "effect parameters at their defaults": EffectParameters(
        values: [.integer(0), .choice(""), .boolean(false), .colour(0), .unknown].map {
            EffectParameterValue(name: "", value: $0)
        }),
    "effect parameters, none": EffectParameters(values: []),
    "palette": Palette(
        stops: [PaletteStop(position: 0, colour: 0xFF_0000), PaletteStop(position: 255, colour: 0xFF)], blend: .bands,
        hueCycling: true, backgroundGlow: 100),
    "palette, empty": Palette(stops: []),
    "palette, unknown blend": Palette(stops: [], blend: .unknown(9)),
    "named palette": NamedPalette(
        name: "Abendrot", palette: Palette(stops: [PaletteStop(position: 3, colour: 1)])),
    "named palette, empty place": NamedPalette(name: "", palette: nil),
    "named palette, empty palette": NamedPalette(name: "", palette: Palette(stops: [])),
    "save palette": PaletteCommand.save(
        name: "Abendrot", replace: true, palette: Palette(stops: [], backgroundGlow: 5)),
    "save the palette in force": PaletteCommand.save(name: "Abendrot", replace: false, palette: nil),
    "save palette, empty": PaletteCommand.save(name: "", replace: false, palette: nil),
    "rename palette": PaletteCommand.rename(name: "a", newName: "b"),
    "delete palette": PaletteCommand.delete(name: "a"),
    "restore palette": PaletteCommand.restore(name: "a"),
    "motion": MotionState(
        sensors: [MotionSensor(name: "left", hasFailed: false), MotionSensor(name: "right", hasFailed: true)],
        isCalibrated: true,
        calibration: Calibration(
            changeID: .max, phase: .failed, failure: .moved, still: 1200, stillNeeded: 2000, elapsed: 5000, window: 5000
        ), recentredBy: 7),
    "motion, nothing": MotionState(sensors: [], isCalibrated: false),
    "motion, unknown phase and failure": MotionState(
        sensors: [], isCalibrated: false,
        calibration: Calibration(
            changeID: 0, phase: .unknown(77), failure: .unknown(78), still: 0, stillNeeded: 0, elapsed: 0, window: 0)),
    "calibrate": MotionCommand.calibrate,
    "cancel a calibration": MotionCommand.cancel,
    "recentre": MotionCommand.recentre,
    "storage": StorageState(health: .damaged, lostByRepair: ["settings", "bonds"], repairedBy: 300),
    "storage, not reported": StorageState(health: .notReported),
    "storage, unknown health": StorageState(health: .unknown(9)),
    "repair storage": StorageCommand.repair,
]
