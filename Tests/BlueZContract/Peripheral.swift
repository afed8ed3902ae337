import Bluetooth

/// The contract's peripheral: what it has, and what can be asked of it over its own control characteristic.
enum ContractPeripheral {
    static let address = known(BluetoothAddress("C4:11:22:33:44:66"))
    static let name = "contract"
    static let service = uuid("100")
    static let control = uuid("101")
    static let value = uuid("102")
    static let guarded = uuid("103")
    static let stream = uuid("104")
    static let valueName = "contract/value"
    static let mtu = 517

    private static func uuid(_ digits: String) -> BluetoothUUID {
        known(BluetoothUUID("7d5a0\(digits)-4d1c-4b5e-9d0a-3c6b1f0e2a90"))
    }

    private static func known<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("a constant of the contract is none") }
        return value
    }
}

/// What is written to the control characteristic. All of it is forgotten with the link, but for the bond and the manner
/// of pairing, which goes with the link that was paired on.
enum Action {
    /// The next read or write of `value` is refused with that ATT code.
    case refuse(code: UInt8)
    /// The next read or write of `value` is never answered.
    case keepSilent
    case dropLink(afterMilliseconds: UInt16)
    case pair(Manner)
    /// That many notifications of that many bytes each; the first four are its place, from 0.
    case notify(count: UInt16, length: UInt16)
    case forgetBond
    case reset

    enum Manner: UInt8 {
        case compare, denyDigits, neverConfirm, refuse, justWorks, loseLink
    }

    var bytes: [UInt8] {
        switch self {
        case .refuse(let code): [1, code]
        case .keepSilent: [2]
        case .dropLink(let time): [3] + time.littleEndianBytes
        case .pair(let manner): [4, manner.rawValue]
        case .notify(let count, let length): [5] + count.littleEndianBytes + length.littleEndianBytes
        case .forgetBond: [6]
        case .reset: [7]
        }
    }
}

/// What the peripheral counted of the packets to `stream`, and the digits it showed last.
struct Counters: Equatable {
    var packets: UInt32
    var bytes: UInt32
    var longest: UInt32
    /// Packets whose first four bytes were not their place.
    var misplaced: UInt32
    var passkey: UInt32

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        packets = bytes.number(at: 0, 4)
        self.bytes = bytes.number(at: 4, 4)
        longest = bytes.number(at: 8, 2)
        misplaced = bytes.number(at: 10, 2)
        passkey = bytes.number(at: 12, 4)
    }
}

extension FixedWidthInteger {
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

extension [UInt8] {
    func number(at place: Int, _ length: Int) -> UInt32 {
        self[place..<place + length].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
