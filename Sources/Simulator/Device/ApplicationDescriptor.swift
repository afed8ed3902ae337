/// What the simulated ears read of `esp_app_desc_t`, 256 bytes at offset 32 of an image.
struct ApplicationDescriptor: Hashable, Sendable {
    static let magic: UInt32 = 0xABCD_5432
    static let offset = 32
    static let size = 256

    let version: String
    let project: String

    /// The board family that this is ears' firmware for; nil: some other program.
    var family: String? { project.hasPrefix("espurr-") ? String(project.dropFirst(7)) : nil }

    /// - Parameter start: where the image starts.
    init?(in flash: Flash, imageAt start: Int) {
        let first = start + Self.offset
        guard flash.size >= first + Self.size else { return nil }
        let bytes = flash.read(first..<first + Self.size)
        guard bytes.littleEndian(at: 0) == Self.magic else { return nil }
        version = bytes.text(in: 16..<48)
        project = bytes.text(in: 48..<80)
    }
}
