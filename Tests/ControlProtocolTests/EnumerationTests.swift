import Foundation
import Testing

@testable import ControlProtocol

@Suite struct `Enumerations` {
    @Test func `have the contract's numbers`() throws {
        try expect(LocalControlStatus.self, are: "Status", in: "espurr_local_ctrl.proto")
        try expect(ChangeStage.self, are: "ChangeStage", in: "espurr_settings.proto")
        try expect(SettingRefusalReason.self, are: "SettingRefusalReason", in: "espurr_settings.proto")
        try expect(PaletteBlend.self, are: "PaletteBlend", in: "espurr_settings.proto")
        try expect(CalibrationPhase.self, are: "CalibrationPhase", in: "espurr_settings.proto")
        try expect(CalibrationFailure.self, are: "CalibrationFailure", in: "espurr_settings.proto")
        try expect(StorageHealth.self, are: "StorageHealth", in: "espurr_settings.proto")
        try expect(UpdateState.self, are: "UpdateState", in: "espurr_update.proto")
        try expect(UpdateRefusal.self, are: "UpdateRefusal", in: "espurr_update.proto", without: [0])
        try expect(AudioMode.self, are: "AudioMode", in: "espurr_audio.proto")
        try expect(AudioState.self, are: "AudioState", in: "espurr_audio.proto")
        try expect(AudioRefusal.self, are: "AudioRefusal", in: "espurr_audio.proto", without: [0])
        try expect(ResetReason.self, are: "ResetReason", in: "espurr_update.proto")
    }

    @Test func `of otadata have the bootloader's numbers`() {
        #expect(OTAState.known.map(\.number) == [0, 1, 2, 3, 4, 0xFFFF_FFFF])
    }

    private func expect<E: WireEnumeration>(
        _ type: E.Type, are name: String, in file: String, without absent: Set<UInt32> = []
    ) throws {
        let text = try String(contentsOf: Folder.contract.appending(path: file), encoding: .utf8)
        let body = try #require(text.firstMatch(of: try Regex("enum \(name) \\{([^}]*)\\}"))?[1].substring)
        let numbers = body.matches(of: /= (\d+);/).compactMap { UInt32($0.1) }
        #expect(Set(E.known.map(\.number)) == Set(numbers).subtracting(absent))
        #expect(E.known.allSatisfy { E(number: $0.number) == $0 })
        #expect(E(number: 77) == .unknown(77))
    }
}
