import Testing

@testable import Firmware

@Suite struct BoardFamilyTests {
    @Test func `families are the four of the ears`() {
        #expect(BoardFamily.allCases.map(\.name) == ["esp32", "s3", "v2-8m", "v2-16m"])
        #expect(BoardFamily.allCases.map(\.chip) == [.esp32, .esp32s3, .esp32s3, .esp32s3])
        #expect(BoardFamily.allCases.map(\.expectedSlotCapacity) == [1_740_800, 3_145_728, 3_145_728, 4_194_304])
    }

    @Test(arguments: BoardFamily.allCases) func `a family is found by its project name and by its name`(
        family: BoardFamily
    ) {
        #expect(BoardFamily(projectName: "espurr-" + family.name) == family)
        #expect(BoardFamily(projectName: family.projectName) == family)
        #expect(BoardFamily(name: family.name) == family)
    }

    @Test(arguments: ["", "espurr-", "ESPURR-s3", "espurr-S3", "espurr-s3 ", "s3", "espurr_s3", "espurr-espurr-s3"])
    func `nothing else is a project of ours`(name: String) {
        #expect(BoardFamily(projectName: name) == nil)
    }

    @Test func `chips have the numbers and names of ESP-IDF`() {
        let names: [UInt16: String] = [
            0: "ESP32", 2: "ESP32-S2", 5: "ESP32-C3", 9: "ESP32-S3", 0x0C: "ESP32-C2", 0x0D: "ESP32-C6",
            0x10: "ESP32-H2", 0x12: "ESP32-P4", 0x14: "ESP32-C61", 0x17: "ESP32-C5", 0x19: "ESP32-H21",
            0x1C: "ESP32-H4", 0x20: "ESP32-S31",
        ]
        for id in UInt16.min...0x40 {
            #expect(Chip(id: id).name == names[id])
            #expect(Chip(id: id).isSupported == [0, 9].contains(id))
        }
    }
}
