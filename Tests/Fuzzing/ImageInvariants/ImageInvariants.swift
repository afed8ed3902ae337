import Crypto
import Firmware
import Glibc

/// What holds for any bytes at all that are judged as an image, for the fuzzer and for the tests that go through what it
/// found.
public enum ImageInvariants {
    /// For the bytes as they are, and with checksum and hash made right: no fuzzer finds a SHA-256, and what is behind that
    /// check would never be reached.
    public static func hold(for bytes: [UInt8]) -> Bool {
        let sealed = bytes.resealed()
        return holdAsTheyAre(bytes) && (sealed == bytes || holdAsTheyAre(sealed))
    }

    /// They are judged alike in memory and in a file, and what is called sound is.
    private static func holdAsTheyAre(_ bytes: [UInt8]) -> Bool {
        let inspection = ImageInspection(of: bytes)
        guard inspection.size == bytes.count, inspection.sha256 == HashAlgorithm.sha256.hash(of: bytes) else {
            return false
        }
        guard let inFile = inspect(inFile: bytes), isSame(inspection, inFile) else { return false }
        guard case .success(let image) = inFile.verdict else { return true }
        return SoundnessOracle.holds(for: image, bytes) && (try? image.bytes(in: 0..<image.size)) == bytes
    }

    private static func isSame(_ one: ImageInspection, _ other: ImageInspection) -> Bool {
        one.size == other.size && one.sha256 == other.sha256 && one.verdict == other.verdict && one.kind == other.kind
            && one.chip == other.chip && one.header == other.header && one.segments == other.segments
            && one.checksum == other.checksum && one.hash == other.hash && one.descriptor == other.descriptor
            && one.tail == other.tail
    }

    /// In a file that has no name any more. Nil where this machine has no room for one.
    private static func inspect(inFile bytes: [UInt8]) -> ImageInspection? {
        var name = Array("/tmp/espurr-image-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        unlink(name)
        guard bytes.isEmpty || write(descriptor, bytes, bytes.count) == bytes.count else { return nil }
        return try? ImageInspection(of: ImageFile("/proc/self/fd/\(descriptor)"))
    }
}
