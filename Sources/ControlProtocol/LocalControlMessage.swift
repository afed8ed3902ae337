/// `LocalCtrlMessage`: one envelope for requests and replies.
struct LocalControlMessage: MergingMessage {
    enum Payload: Hashable, Sendable {
        case getPropertyCount(EmptyMessage)
        case propertyCount(PropertyCountReply)
        case getPropertyValues(GetPropertyValues)
        case propertyValues(PropertyValuesReply)
        case setPropertyValues(SetPropertyValues)
        case propertyValuesSet(StatusReply)
    }

    static let unset = LocalControlMessage()
    static let requestTypes: Set<UInt32> = [0, 4, 6]
    static let responseTypes: Set<UInt32> = [1, 5, 7]

    /// `msg`.
    private(set) var type: UInt32 = 0
    private(set) var payload: Payload?

    private init() {}

    init(_ payload: Payload) {
        type = payload.messageType
        self.payload = payload
    }

    /// The payload, if `type` is one of these and announces it.
    func checkedPayload(ofTypes types: Set<UInt32>) throws(WireError) -> Payload {
        guard types.contains(type) else { throw .unexpectedMessageType(type) }
        guard let payload else { throw .missingPayload }
        guard payload.messageType == type else {
            throw .payloadMismatch(messageType: type, payloadField: payload.fieldNumber)
        }
        return payload
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &type)
        case 10...15: payload = try readPayload(field, from: &reader) ?? payload
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, type)
        switch payload {
        case .getPropertyCount(let message): writer.message(10, message)
        case .propertyCount(let message): writer.message(11, message)
        case .getPropertyValues(let message): writer.message(12, message)
        case .propertyValues(let message): writer.message(13, message)
        case .setPropertyValues(let message): writer.message(14, message)
        case .propertyValuesSet(let message): writer.message(15, message)
        case nil: break
        }
    }

    private func readPayload(_ field: WireField, from reader: inout WireReader) throws(WireError) -> Payload? {
        switch field.number {
        case 10:
            return try reader.member(field, merging: EmptyMessage?.none).map(Payload.getPropertyCount)
        case 11:
            let current: PropertyCountReply? = if case .propertyCount(let message) = payload { message } else { nil }
            return try reader.member(field, merging: current).map(Payload.propertyCount)
        case 12:
            let current: GetPropertyValues? = if case .getPropertyValues(let message) = payload { message } else { nil }
            return try reader.member(field, merging: current).map(Payload.getPropertyValues)
        case 13:
            let current: PropertyValuesReply? = if case .propertyValues(let message) = payload { message } else { nil }
            return try reader.member(field, merging: current).map(Payload.propertyValues)
        case 14:
            let current: SetPropertyValues? = if case .setPropertyValues(let message) = payload { message } else { nil }
            return try reader.member(field, merging: current).map(Payload.setPropertyValues)
        default:
            let current: StatusReply? = if case .propertyValuesSet(let message) = payload { message } else { nil }
            return try reader.member(field, merging: current).map(Payload.propertyValuesSet)
        }
    }
}

extension LocalControlMessage.Payload {
    var messageType: UInt32 {
        switch self {
        case .getPropertyCount: 0
        case .propertyCount: 1
        case .getPropertyValues: 4
        case .propertyValues: 5
        case .setPropertyValues: 6
        case .propertyValuesSet: 7
        }
    }

    var fieldNumber: UInt32 {
        switch self {
        case .getPropertyCount: 10
        case .propertyCount: 11
        case .getPropertyValues: 12
        case .propertyValues: 13
        case .setPropertyValues: 14
        case .propertyValuesSet: 15
        }
    }
}
