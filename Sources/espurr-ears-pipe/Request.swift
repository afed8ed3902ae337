import ControlProtocol
import Foundation
import Simulator

/// One call of the model: `{"id": 1, "do": "write", "endpoint": "espurr/update", "value": "0a00"}`.
struct Request {
    enum Action {
        case connect(peer: String)
        case encrypt(BondKey)
        case disconnect
        case requestPairing
        case confirmPairing(Bool)
        case clickButton
        case powerOn
        case powerOff
        case read(EndpointName)
        case write(EndpointName, [UInt8])
        /// A write without response.
        case command(EndpointName, [UInt8])
        case subscribe(Bool)
    }

    let id: Int
    let action: Action

    /// Nil for what is no request.
    init?(_ line: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(line)), let action = document.action
        else { return nil }
        id = document.id
        self.action = action
    }

    private struct Document: Decodable {
        let id: Int
        let `do`: String
        let peer: String?
        let key: String?
        let equal: Bool?
        let on: Bool?
        let endpoint: String?
        let value: String?

        var action: Action? {
            let endpoint = endpoint.flatMap(EndpointName.init)
            return switch `do` {
            case "connect": peer.map(Action.connect)
            case "encrypt": key.flatMap([UInt8].init(hexadecimal:)).map { .encrypt(BondKey(bytes: $0)) }
            case "disconnect": .disconnect
            case "request-pairing": .requestPairing
            case "confirm": equal.map(Action.confirmPairing)
            case "click": .clickButton
            case "power-on": .powerOn
            case "power-off": .powerOff
            case "read": endpoint.map(Action.read)
            case "write":
                endpoint.flatMap { name in
                    value.flatMap([UInt8].init(hexadecimal:)).map { .write(name, $0) }
                }
            case "command":
                endpoint.flatMap { name in
                    value.flatMap([UInt8].init(hexadecimal:)).map { .command(name, $0) }
                }
            case "subscribe": on.map(Action.subscribe)
            default: nil
            }
        }
    }
}

extension [UInt8] {
    init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            append(byte)
        }
    }

    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
