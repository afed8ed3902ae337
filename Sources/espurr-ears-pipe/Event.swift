import ControlProtocol
import Simulator

/// What the ears are, and what they do.
enum Event {
    case ready(SimulatedEars)
    case advertisement(Advertisement?)
    case linkDropped
    case serialLine(String)
    case clickNeeded
    case comparison
    case bonded(BondKey)
    case pairingFailed
    case notification(EndpointName, [UInt8])

    init(_ effect: Effect, of ears: SimulatedEars) {
        self =
            switch effect {
            case .advertisementChanged: .advertisement(ears.advertisement)
            case .linkDropped: .linkDropped
            case .serialLine(let line): .serialLine(line)
            case .pairing(.clickNeeded): .clickNeeded
            // The digits are those of the stack that carries these ears.
            case .pairing(.comparison): .comparison
            case .pairing(.bonded(let key)): .bonded(key)
            case .pairing(.failed): .pairingFailed
            case .notification(let endpoint, let value): .notification(endpoint, value)
            }
    }
}

extension Event: Encodable {
    private enum CodingKeys: String, CodingKey {
        case event, service, characteristics, uuid, name, key, line, stream, endpoint, value
        case maximumTransferUnit = "mtu"
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .event)
        switch self {
        case .ready(let ears):
            try members.encode(ears.gatt.serviceUUID, forKey: .service)
            try members.encode(ears.maximumTransferUnit, forKey: .maximumTransferUnit)
            var list = members.nestedUnkeyedContainer(forKey: .characteristics)
            for characteristic in ears.gatt.characteristics {
                var entry = list.nestedContainer(keyedBy: CodingKeys.self)
                try entry.encode(characteristic.uuid, forKey: .uuid)
                try entry.encode(String(decoding: characteristic.name.value, as: UTF8.self), forKey: .name)
                try entry.encode(characteristic.endpoint.isStream, forKey: .stream)
            }
        case .advertisement(let advertisement): try members.encode(advertisement?.name, forKey: .name)
        case .serialLine(let line): try members.encode(line, forKey: .line)
        case .bonded(let key): try members.encode(key.bytes.hexadecimal, forKey: .key)
        case .notification(let endpoint, let value):
            try members.encode(endpoint.rawValue, forKey: .endpoint)
            try members.encode(value.hexadecimal, forKey: .value)
        case .linkDropped, .clickNeeded, .comparison, .pairingFailed: break
        }
    }

    private var kind: String {
        switch self {
        case .ready: "ready"
        case .advertisement: "advertisement"
        case .linkDropped: "link dropped"
        case .serialLine: "serial line"
        case .clickNeeded: "click needed"
        case .comparison: "comparison"
        case .bonded: "bonded"
        case .pairingFailed: "pairing failed"
        case .notification: "notification"
        }
    }
}
