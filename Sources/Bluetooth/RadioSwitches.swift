import Glibc

/// What keeps a radio off in the kernel (rfkill).
public enum RadioBlock: Hashable, Sendable {
    /// By software: `rfkill unblock` ends it.
    case soft
    /// By a switch or key of the machine, or its firmware.
    case hard
    /// BlueZ says blocked, and the kernel's files do not say how.
    case unknown
}

/// The kernel's radio switches (Documentation/driver-api/rfkill.rst of Linux; `class/rfkill` in sysfs).
public struct RadioSwitches: Sendable {
    public struct Switch: Hashable, Sendable {
        /// Of the adapter (`hci0`), or of a switch of the platform (`tpacpi_bluetooth_sw`).
        public var name: String
        public var block: RadioBlock?

        public init(name: String, block: RadioBlock?) {
            self.name = name
            self.block = block
        }
    }

    /// Where nothing is known of them.
    public static let none = RadioSwitches(reading: { [] })

    private let read: @Sendable () -> [Switch]

    /// - Parameter read: the switches of Bluetooth radios now.
    public init(reading read: @escaping @Sendable () -> [Switch]) { self.read = read }

    /// - Parameter folder: where sysfs is mounted.
    public init(systemFolder folder: String) {
        self.init {
            SystemFile.names(in: folder + "/class/rfkill").compactMap { Switch(folder + "/class/rfkill/" + $0) }
        }
    }

    /// The switches of Bluetooth radios, in the order of the kernel's numbers.
    public var all: [Switch] { read() }

    public func block(of adapter: AdapterName) -> RadioBlock? { all.first { $0.name == "\(adapter)" }?.block }
}

extension RadioSwitches.Switch {
    /// - Returns: nil for what is no Bluetooth radio's switch, or has gone.
    fileprivate init?(_ folder: String) {
        guard SystemFile.line(folder + "/type") == "bluetooth", let name = SystemFile.line(folder + "/name") else {
            return nil
        }
        let isHard = SystemFile.line(folder + "/hard") == "1"
        let isSoft = SystemFile.line(folder + "/soft") == "1"
        self.init(name: name, block: isHard ? .hard : isSoft ? .soft : nil)
    }
}

/// Small files that the kernel makes up as they are read.
enum SystemFile {
    /// Bytes; more is no such file.
    static let limit = 4096
    /// Entries of a folder that are looked at.
    private static let entryLimit = 256

    /// The file's bytes; nil where it is not there, not readable or too long.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: limit + 1)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &piece, piece.count - bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
        return nil
    }

    /// The first line.
    static func line(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    }

    /// Names in a folder, sorted as the kernel numbers them; none where it is not there.
    static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while names.count < entryLimit, let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }
}
