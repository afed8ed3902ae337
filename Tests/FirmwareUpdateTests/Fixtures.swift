@testable import Catalogue
import Bluetooth
import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Testing

/// A small image that is sound: two segments, an application descriptor, checksum and hash.
func soundImage(
    family: String = "s3", version: String = "1.5.0", project: String? = nil, chip: UInt16 = 9, iromBytes: Int = 4096
) throws -> SoundImage {
    let isS3 = chip == 9
    var descriptor: [UInt8] = littleEndian(0xABCD_5432 as UInt32) + [UInt8](repeating: 0, count: 12)
    descriptor += padded(version, 32) + padded(project ?? "espurr-\(family)", 32)
    descriptor += padded("12:00:00", 16) + padded("Jan  1 2026", 16) + padded("v6.1", 32)
    descriptor += [UInt8](repeating: 7, count: 32) + [UInt8](repeating: 0, count: 256 - 176)
    descriptor[180] = 16
    let irom = (0..<iromBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ version.utf8.count) }
    var bytes: [UInt8] = [0xE9, 2, 2, 0x3F] + littleEndian(isS3 ? 0x4037_5000 : 0x4008_1000 as UInt32)
    bytes += [0xEE, 0, 0, 0] + littleEndian(chip) + [0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 1]
    bytes += littleEndian(isS3 ? 0x3C00_0020 : 0x3F40_0020 as UInt32) + littleEndian(UInt32(descriptor.count))
    bytes += descriptor
    let window: UInt32 = isS3 ? 0x4200_0000 : 0x400D_0000
    bytes += littleEndian(window + UInt32(bytes.count + 8)) + littleEndian(UInt32(irom.count)) + irom
    let checksum = (descriptor + irom).reduce(UInt8(0xEF), ^)
    bytes += [UInt8](repeating: 0, count: 15 - bytes.count % 16) + [checksum]
    let hash = try #require(ImageInspection(of: bytes + [UInt8](repeating: 0, count: 32)).hash)
    return try ImageInspection(of: bytes + hash.computed).verdict.get()
}

private func padded(_ text: String, _ length: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: length - text.utf8.count)
}

private func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A release as a catalogue's targets would list it.
func release(
    _ version: String, family: String = "s3", channel: String = "stable", chip: String = "ESP32-S3",
    applicationProtocol: Int = 2, length: Int = 1, sha256: String = String(repeating: "0", count: 64),
    file: String = "image.bin"
) throws -> Release {
    try Release(
        target(
            version, family: family, channel: channel, chip: chip, applicationProtocol: applicationProtocol,
            length: length, sha256: sha256, path: "\(family)/\(version)/\(file)"))
}

/// What a catalogue's targets list, whatever its path is.
func target(
    _ version: String, family: String = "s3", channel: String = "stable", chip: String = "ESP32-S3",
    applicationProtocol: Int = 2, length: Int = 1, sha256: String = String(repeating: "0", count: 64), path: String
) throws -> Target {
    let fields = #"""
        {"length":\#(length),"hashes":{"sha256":"\#(sha256)"},"custom":{"schema":1,"family":"\#(family)",
        "chip":"\#(chip)","version":"\#(version)","channel":"\#(channel)",
        "application_protocol":\#(applicationProtocol),"released":"2026-03-01T12:00:00Z","notes":""}}
        """#
    let value = try JSONReader.read(Array(fields.utf8))
    return try Target(path: UTF8Text(path), Fields(value, at: "targets"))
}

func release(of image: SoundImage, version: String? = nil, family: String = "s3") throws -> Release {
    try release(
        version ?? image.version, family: family, length: image.size, sha256: hexadecimal(image.sha256))
}

/// A reading of ears that run ota_0, VALID, with ota_1 empty.
struct StatusShape {
    var runningState = OTAState.valid
    var capacity: UInt32 = 3072 * 1024
    var slots = 2
    var battery: UInt32?
    var batteryNeeded: UInt32 = 0
    var session: UInt32 = 0
    var mode = EarsMode.normal

    func reading() throws -> UpdateReading {
        let all = (0..<UInt32(slots)).map { index in
            Slot(
                index: index, capacity: capacity, imageDigest: index == 0 ? [UInt8](repeating: 0xA0, count: 32) : [],
                version: index == 0 ? "1.4.0" : "", project: index == 0 ? "espurr-s3" : "",
                otaState: index == 0 ? runningState : .undefined)
        }
        let status = UpdateStatus(
            runningSlot: 0, selectedSlot: 0, slots: all, bootCount: 3, resetReason: .powerOn, batteryPercent: battery,
            batteryPercentNeeded: batteryNeeded, sessionSize: 0, sessionSHA256: [], hasRollback: true)
        return try UpdateReading(
            UpdateReply(session: session, state: .idle, nextOffset: 0, silenceLimit: 30_000, status: status),
            mode: mode)
    }
}

func report(
    _ shape: StatusShape = StatusShape(), family: String = "s3", chip: String = "ESP32-S3"
) throws -> EarsReport {
    EarsReport(
        device: DeviceInformation(
            family: family, chip: chip, firmwareVersion: "1.4.0", name: "espurr-0001", hardwareRevision: "A",
            applicationProtocol: 2),
        reading: try shape.reading())
}
