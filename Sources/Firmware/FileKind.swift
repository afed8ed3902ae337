/// What a file is, whether or not it is whole and sound.
public enum FileKind: Hashable, Sendable {
    /// An ESP-IDF application, or what was one: an application descriptor, or segments mapped from flash.
    case application
    /// A second-stage bootloader.
    case bootloader
    /// A bootloader with partition table and applications behind it: flashed by USB, from a fixed address.
    case mergedImage
    /// An application that runs from RAM alone and is never in flash.
    case ramApplication
    /// An image that the ROM starts without a second-stage bootloader: most of it stands behind what its header covers.
    case simpleBootImage
    /// A header whose segments are all empty.
    case headerStub
    case esp8266Application
    /// It begins as an image of ESP32 or ESP8266 does, and what follows is neither.
    case damagedImage
    case partitionTable
    /// The two entries that select the application to boot.
    case otadata
    case compressed(Compression)
    /// What the linker made, from which images are made.
    case elf
    case uf2
    /// Nothing but 0xFF.
    case erasedFlash
    case empty
    /// None of these; flash-encrypted images look like this.
    case unknown

    public enum Compression: Hashable, Sendable, CaseIterable {
        case gzip, zip, xz, zstandard, bzip2
    }
}
