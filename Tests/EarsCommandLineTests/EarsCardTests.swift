import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import Testing

@Suite struct EarsCardTests {
    private func card(_ mode: EarsMode, _ version: String) -> EarsCard {
        EarsCard(
            address: "C4:11:22:33:44:55", mode: mode,
            device: DeviceInformation(
                family: "s3", chip: "ESP32-S3", firmwareVersion: version, name: "espurr-4455", hardwareRevision: "A",
                applicationProtocol: 2),
            capabilities: ["motion", "wifi"], battery: nil)
    }

    private func row(_ label: String, of card: EarsCard) -> String? { card.rows.first { $0.0 == label }?.1 }

    private func text(_ name: String, of card: EarsCard) -> String? {
        card.members.first { $0.0 == name }?.1.text
    }

    @Test func `in normal mode the firmware runs`() {
        let card = card(.normal, "1.4.0")
        #expect(row("firmware", of: card) == "1.4.0")
        #expect(row("capabilities", of: card) == "motion, wifi")
        #expect(text("firmware_version", of: card) == "\"1.4.0\"")
        #expect(text("held_firmware_version", of: card) == "null")
    }

    @Test func `in recovery mode none runs, and what a slot holds is told as that`() {
        let card = card(.recovery, "1.4.0")
        #expect(row("firmware", of: card) == "none runs (recovery mode); 1.4.0 is in its slot")
        #expect(row("capabilities", of: card) == "motion, wifi (of normal mode)")
        #expect(text("firmware_version", of: card) == "null")
        #expect(text("held_firmware_version", of: card) == "\"1.4.0\"")
    }

    @Test func `ears that hold no firmware say so`() {
        let card = card(.recovery, "")
        #expect(row("firmware", of: card) == "none runs (recovery mode); no slot holds any")
        #expect(text("firmware_version", of: card) == "null")
        #expect(text("held_firmware_version", of: card) == "null")
    }
}
