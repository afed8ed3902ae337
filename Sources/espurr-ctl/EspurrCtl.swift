import CommandLineTools
import EarsCommandLine

@main
struct EspurrCtl {
    static func main() {
        Program(
            name: "espurr-ctl", summary: "find, pair, read and set espurr ears",
            verbs: [
                Scan.self, Devices.self, Pair.self, Forget.self, RepairBond.self, Info.self, GetSettings.self,
                SetSettings.self, Effects.self, ChooseEffect.self, PaletteVerb.self, Motion.self,
                Calibrate.self, Recenter.self, WiFi.self, EarsStatusVerb.self, Export.self, Apply.self,
                Audio.self, Doctor.self, Support.self, PrintCompletion.self,
            ],
            synonyms: ["rename": "set name", "record": "audio record"],
            memory: SettingsMemory.candidates
        ).main()
    }
}
