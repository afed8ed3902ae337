/// The messages of calls that were made lately, for more of their kind.
///
/// Where one call is made thousands of times, with other arguments or with the same, most of the work would be libdbus
/// building the header, field by field; a copy of one that stands is a tenth of it.
struct RecentCalls {
    /// A write and a read by turns need two.
    private static let limit = 4

    private var templates: [CallTemplate] = []

    mutating func message(of call: MethodCall) throws(DBusError) -> RawMessage {
        if let template = templates.first(where: { $0.fits(call) }) { return try template.message(call.arguments) }
        let template = try CallTemplate(call)
        if templates.count == Self.limit { templates.removeFirst() }
        templates.append(template)
        return try template.message(call.arguments)
    }
}

/// A call's message without its arguments, and with those it had last where they are no more than empty options.
private final class CallTemplate {
    private struct Whole: ~Copyable {
        let arguments: [DBusValue]
        let message: RawMessage
    }

    private let call: MethodCall
    private let header: RawMessage
    private var types: [DBusType] = []
    private var whole: Whole?

    /// - Throws: `invalidMessage`, `outOfMemory`.
    init(_ call: MethodCall) throws(DBusError) {
        var call = call
        call.arguments = []
        self.call = call
        header = try RawMessage.call(call)
    }

    func fits(_ other: MethodCall) -> Bool {
        call.member == other.member && call.path == other.path && call.interface == other.interface
            && call.destination == other.destination && call.startsService == other.startsService
    }

    func message(_ arguments: [DBusValue]) throws(DBusError) -> RawMessage {
        if whole?.arguments == arguments, let copy = try whole?.message.copy() { return copy }
        let body = try MessageBody(arguments, validTypes: types)
        types = body.types
        let message = try header.copy()
        try message.append(body)
        // What is longer seldom comes twice, and may be a secret.
        if arguments.allSatisfy({ $0 == .noProperties }) {
            whole = Whole(arguments: arguments, message: try message.copy())
        }
        return message
    }
}
