import ControlProtocol

private let digest = [UInt8](224...255)
private let large = [UInt8](repeating: UInt8(ascii: "a"), count: 400)

/// What each row of `Fixtures/golden.tsv` means, by its name.
let goldenValues: [String: any TestedMessage] = localControlValues.merging(sessionValues, uniquingKeysWith: { $1 })
    .merging(settingsValues, uniquingKeysWith: { $1 })
    .merging(descriptorValues, uniquingKeysWith: { $1 })
    .merging(structuredSettingValues, uniquingKeysWith: { $1 })
    .merging(updateRequestValues, uniquingKeysWith: { $1 })
    .merging(updateReplyValues, uniquingKeysWith: { $1 })
    .merging(streamValues, uniquingKeysWith: { $1 })
    .merging(audioValues, uniquingKeysWith: { $1 })

private let localControlValues: [String: any TestedMessage] = [
    "count request, handler": LocalControlRequest.propertyCount,
    "count reply, handler": LocalControlResponse.propertyCount(status: .success, count: 4),
    "values request, handler": LocalControlRequest.propertyValues(indices: [1]),
    "set reply, handler": LocalControlResponse.setPropertyValues(status: .success),
    "set refused, handler": LocalControlResponse.setPropertyValues(status: .invalidArgument),
    "count request": LocalControlRequest.propertyCount,
    "count reply": LocalControlResponse.propertyCount(status: .success, count: 4),
    "count reply, empty": LocalControlResponse.propertyCount(status: .success, count: 0),
    "count reply, failed": LocalControlResponse.propertyCount(status: .internalError, count: .max),
    "values request, one": LocalControlRequest.propertyValues(indices: [1]),
    "values request, none": LocalControlRequest.propertyValues(indices: []),
    "values request, many": LocalControlRequest.propertyValues(indices: [0, 127, 128, .max]),
    "values reply, all fields": LocalControlResponse.propertyValues(
        status: .success,
        properties: [
            PropertyInfo(name: "brightness", type: .int32, flags: [.readOnly, .writeOnly], value: [40, 0, 0, 0]),
            PropertyInfo(status: .invalidArgument, name: "gone", type: .message, value: []),
            PropertyInfo(name: "state", type: .message, flags: .readOnly, value: [8, 7]),
        ]),
    "values reply, an empty property": LocalControlResponse.propertyValues(
        status: .success, properties: [PropertyInfo(name: "", type: .timestamp, value: [])]),
    "values reply, unknown status": LocalControlResponse.propertyValues(status: .unknown(99), properties: []),
    "values reply, negative status": LocalControlResponse.propertyValues(status: .unknown(.max), properties: []),
    "set request": LocalControlRequest.setPropertyValues([
        PropertyValue(index: 3, value: [8, 42, 16, 7]), PropertyValue(index: 5, value: [255, 255, 255, 255]),
    ]),
    "set request, none": LocalControlRequest.setPropertyValues([]),
    "set request, large": LocalControlRequest.setPropertyValues([PropertyValue(index: 1_000_000, value: large)]),
    "set reply": LocalControlResponse.setPropertyValues(status: .success),
    "set reply, invalid session": LocalControlResponse.setPropertyValues(status: .invalidSession),
]

private let sessionValues: [String: any TestedMessage] = [
    "hello, handler": SecurityZeroMessage.command,
    "hello reply, handler": SecurityZeroMessage.response(status: .success),
    "hello": SecurityZeroMessage.command,
    "hello reply": SecurityZeroMessage.response(status: .success),
    "hello reply, refused": SecurityZeroMessage.response(status: .invalidSecurityScheme),
]

private let settingsValues: [String: any TestedMessage] = [
    "device, all fields": DeviceInformation(
        family: "v2-16m", chip: "ESP32-S3", firmwareVersion: "1.4.0-rc.2", name: "espurr-7A3F", hardwareRevision: "C",
        applicationProtocol: 2),
    "device, empty": DeviceInformation(
        family: "", chip: "", firmwareVersion: "", name: "", hardwareRevision: "", applicationProtocol: 0),
    "device, not ASCII": DeviceInformation(
        family: "", chip: "", firmwareVersion: "", name: "\u{F6}hrchen \u{1F431}", hardwareRevision: "",
        applicationProtocol: 0),
    "capabilities": Capabilities(names: ["motion", "", "audio.capture"]),
    "capabilities, none": Capabilities(names: []),
    "state, all fields": EarsState(
        revision: 300, lastChange: Change(id: .max, revision: 300, stage: .saved, properties: [2, 300]),
        lastRefusal: SettingRefusal(changeID: 9, property: 4, reason: .busy),
        battery: Battery(percent: 100, percentNeededForUpdate: 30)),
    "state, empty": EarsState(revision: 0),
    "state, empty parts": EarsState(
        revision: 0, lastChange: Change(id: 0, revision: 0, stage: .none, properties: []),
        lastRefusal: SettingRefusal(changeID: 0, property: 0, reason: .none),
        battery: Battery(percent: 0, percentNeededForUpdate: 0)),
    "state, unknown stage and reason": EarsState(
        revision: 1, lastChange: Change(id: 1, revision: 0, stage: .unknown(6), properties: []),
        lastRefusal: SettingRefusal(changeID: 1, property: 0, reason: .unknown(1 << 31))),
    "change": ChangeRequest(id: 0xDEAD_BEEF, basedOnRevision: 7),
    "change, on revision 0": ChangeRequest(id: 1, basedOnRevision: 0),
]

private let descriptorValues: [String: any TestedMessage] = [
    "descriptor, boolean": SettingDescriptor(setting: "power", title: "Power", kind: .boolean),
    "descriptor, integer": SettingDescriptor(
        setting: "brightness", title: "Brightness", unit: "%", kind: .integer(minimum: 0, maximum: 100, step: 5)),
    "descriptor, negative integer": SettingDescriptor(
        setting: "overlay", title: "Overlay offset", capability: "motion",
        kind: .integer(minimum: .min, maximum: .max, step: -1)),
    "descriptor, enumeration": SettingDescriptor(
        setting: "led.output", title: "LED output", kind: .enumeration(choices: ["left", "", "both"])),
    "descriptor, text": SettingDescriptor(
        setting: "name", title: "Name", kind: .text(minimumBytes: 1, maximumBytes: 29)),
    "descriptor, structured": SettingDescriptor(
        setting: "palette", title: "Palette", kind: .structured(message: "espurr.settings.Palette")),
    "descriptor, temporary": SettingDescriptor(
        setting: "flashlight", title: "Flashlight", isTemporary: true, kind: .boolean),
    "descriptor, no kind": SettingDescriptor(setting: "new", title: "", kind: .unknown),
    "descriptor, empty kind": SettingDescriptor(
        setting: "", title: "", kind: .integer(minimum: 0, maximum: 0, step: 0)),
    "descriptor, secret": SettingDescriptor(
        setting: "wifi-password", title: "Password", isSecret: true, kind: .text(minimumBytes: 8, maximumBytes: 63)),
    "descriptor, effect": SettingDescriptor(
        setting: "effect.comet", title: "Comet",
        kind: .effect(parameters: [
            EffectParameter(
                name: "speed", title: "Speed", unit: "/s", capability: "motion",
                kind: .integer(minimum: -1, maximum: 10, step: 0)),
            EffectParameter(name: "tail", title: "", kind: .enumeration(choices: ["short", "long"])),
            EffectParameter(name: "mirror", title: "", kind: .boolean),
            EffectParameter(name: "tint", title: "", kind: .colour),
            EffectParameter(name: "new", title: "", kind: .unknown),
        ])),
    "descriptor, effect of no parameters": SettingDescriptor(
        setting: "effect.off", title: "", kind: .effect(parameters: [])),
    "descriptor, palette": SettingDescriptor(
        setting: "palette", title: "", kind: .palette(maximumStops: 16, maximumNameBytes: 24)),
]

private let updateRequestValues: [String: any TestedMessage] = [
    "status request": UpdateRequest.status,
    "begin": UpdateRequest.begin(size: 1_048_576, sha256: digest, family: "s3", version: "1.5.0"),
    "begin, empty": UpdateRequest.begin(size: 0, sha256: [], family: "", version: ""),
    "chunk": UpdateRequest.chunk(session: 1, offset: 492, data: [0, 1, 255]),
    "chunk, large": UpdateRequest.chunk(session: .max, offset: 3_145_728, data: large),
    "chunk, empty": UpdateRequest.chunk(session: 0, offset: 0, data: []),
    "finish": UpdateRequest.finish(session: 0xDEAD_BEEF),
    "abort": UpdateRequest.abort(session: 128),
    "abort, no session": UpdateRequest.abort(session: 0),
    "restart": UpdateRequest.restart,
]

private let emptyStatus = UpdateStatus(
    runningSlot: 0, selectedSlot: 0, slots: [], bootCount: 0, resetReason: .notReported, batteryPercent: nil,
    batteryPercentNeeded: 0, sessionSize: 0, sessionSHA256: [], hasRollback: false)

private func emptySlot(_ state: OTAState) -> Slot {
    Slot(index: 0, capacity: 0, imageDigest: [], version: "", project: "", otaState: state)
}

private func emptyReply(status: UpdateStatus?) -> UpdateReply {
    UpdateReply(session: 0, state: .idle, nextOffset: 0, silenceLimit: 0, status: status)
}

private let updateReplyValues: [String: any TestedMessage] = [
    "reply, empty": emptyReply(status: nil),
    "reply, receiving": UpdateReply(
        session: 0xDEAD_BEEF, state: .receiving, nextOffset: 984, silenceLimit: 30_000),
    "reply, refused": UpdateReply(
        session: 5, state: .failed, nextOffset: 1_048_576, refusal: .imageInvalid, deviceError: 0x1503,
        silenceLimit: 30_000),
    "reply, unknown state and refusal": UpdateReply(
        session: 0, state: .unknown(7), nextOffset: 0, refusal: .unknown(15), silenceLimit: 0),
    "reply, negative refusal": UpdateReply(
        session: 0, state: .idle, nextOffset: 0, refusal: .unknown(.max), silenceLimit: 0),
    "reply, status with all fields": UpdateReply(
        session: 7, state: .erasing, nextOffset: 0, silenceLimit: 30_000,
        status: UpdateStatus(
            runningSlot: 0, selectedSlot: 1,
            slots: [
                Slot(
                    index: 0, capacity: 3_145_728, imageDigest: digest, version: "1.4.0", project: "espurr-s3",
                    otaState: .valid),
                Slot(index: 1, capacity: 3_145_728, imageDigest: [], version: "", project: "", otaState: .undefined),
            ],
            bootCount: 41, resetReason: .brownout, batteryPercent: 80, batteryPercentNeeded: 30,
            sessionSize: 1_048_576, sessionSHA256: digest, hasRollback: true)),
    "reply, status empty": emptyReply(status: emptyStatus),
    "reply, battery at 0 percent": {
        var status = emptyStatus
        status.batteryPercent = 0
        return emptyReply(status: status)
    }(),
    "reply, unknown OTA state": {
        var status = emptyStatus
        status.slots = [emptySlot(.unknown(5)), emptySlot(.unknown(.max - 1))]
        return emptyReply(status: status)
    }(),
]

private let streamValues: [String: any TestedMessage] = [
    "stream chunk at the start": StreamChunk(offset: 0, data: [0xE9]),
    "stream chunk": StreamChunk(offset: 1_048_576, data: [0, 1, 255]),
    "stream credit": StreamCredit(
        session: 0xDEAD_BEEF, state: .receiving, nextOffset: 984, creditEnd: 17368),
    "stream credit, a gap": StreamCredit(
        session: 5, state: .receiving, nextOffset: 984, creditEnd: 17368, refusal: .wrongOffset),
    "stream credit, failed": StreamCredit(
        session: 5, state: .failed, nextOffset: 984, creditEnd: 984, refusal: .flashError, deviceError: 0x6001),
]
