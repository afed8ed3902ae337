/// What answers the calls of an exported object.
public typealias MethodHandler = @Sendable (IncomingCall) async -> MethodAnswer

/// A call on its way to its handler.
struct Delivery: Sendable {
    let call: IncomingCall
    let handler: MethodHandler
    let answer: @Sendable (MethodAnswer) -> Void

    /// Starts the handlers in order, on this task's thread, each as far as its first suspension; they go on at once
    /// beside each other.
    @concurrent static func serve(_ deliveries: AsyncStream<Delivery>) async {
        await withDiscardingTaskGroup { group in
            for await delivery in deliveries {
                group.addImmediateTask { delivery.answer(await delivery.handler(delivery.call)) }
            }
        }
    }
}

extension BusConnection {
    /// Lets `handler` answer every call of the object at `prefix` and of all objects below it, but for those below a
    /// longer exported prefix. Any number of calls is handled at once; they are started in the order of arrival.
    ///
    /// A handler's task is cancelled when the connection ends.
    ///
    /// - Throws: `pathTaken`, `invalidMessage`, `disconnected`.
    public func export(at prefix: String, handler: @escaping MethodHandler) throws(DBusError) {
        try DBusName.objectPath.check(prefix)
        guard isOpen else { throw .disconnected }
        guard handlers[prefix] == nil else { throw .pathTaken(prefix) }
        handlers[prefix] = handler
    }

    /// Calls under way are still answered.
    public func unexport(prefix: String) { handlers[prefix] = nil }

    func deliverCall(_ message: ReceivedMessage) {
        let address = message.expectsReply ? ReplyAddress(sender: message.sender, serial: message.serial) : nil
        guard let handler = handler(for: message.path) else {
            return answer(.error(name: DBusErrorName.unknownObject, message: "No such object"), to: address)
        }
        guard callsUnderWay < DBusLimits.callsUnderWay else {
            return answer(
                .error(name: DBusErrorName.limitsExceeded, message: "Too many calls under way"), to: address)
        }
        guard let arguments = try? message.arguments() else {
            return answer(
                .error(name: DBusErrorName.invalidArguments, message: "The arguments could not be read"), to: address)
        }
        let call = IncomingCall(
            sender: message.sender, path: message.path, interface: message.interface, member: message.member,
            arguments: arguments)
        callsUnderWay += 1
        inbox.yield(
            Delivery(call: call, handler: handler) { [weak self] answer in
                self?.enqueue { connection in
                    connection.callsUnderWay -= 1
                    connection.answer(answer, to: address)
                }
            })
    }

    private func handler(for path: String) -> MethodHandler? {
        var prefix = path[...]
        while true {
            if let handler = handlers[String(prefix)] { return handler }
            guard prefix != "/", let slash = prefix.lastIndex(of: "/") else { return nil }
            prefix = slash == prefix.startIndex ? "/" : prefix[..<slash]
        }
    }

    /// A caller always gets an answer: what the handler answered and D-Bus cannot say becomes `Failed`.
    ///
    /// - Parameter address: nil for a call that wants no reply.
    private func answer(_ answer: MethodAnswer, to address: ReplyAddress?) {
        guard let address else { return }
        do throws(DBusError) {
            switch answer {
            case .values(let values): try send(try RawMessage.reply(to: address, values))
            case .error(let name, let message): try send(try RawMessage.error(to: address, name: name, text: message))
            case .silence: return
            }
        } catch .invalidMessage {
            self.answer(.error(name: DBusErrorName.failed, message: "The answer is not a valid message"), to: address)
        } catch {
            // The connection has ended, or the memory has: there is nobody to tell.
        }
    }
}
