import DBus
import Synchronization
import Testing

/// An `org.bluez` that does what a test tells it and nothing else. A call that no test scripted is an issue of the
/// test; every call is on record.
final class ScriptedBlueZ: Sendable {
    typealias Properties = [String: DBusValue]
    typealias Objects = [String: [String: Properties]]
    typealias Script = @Sendable (IncomingCall) async -> MethodAnswer

    let connection: BusConnection
    private let state: Mutex<State>

    private struct State {
        var objects: Objects
        var scripts: [String: Script] = [:]
        var calls: [IncomingCall] = []
        var watchers: [(member: String, count: Int, continuation: CheckedContinuation<IncomingCall, Never>)] = []
    }

    init(on address: String, objects: Objects) async throws {
        connection = try await BusConnection(to: .explicit(address), deadline: .seconds(10))
        state = Mutex(State(objects: objects))
        try await connection.export(at: "/") { [weak self] call in
            await self?.answer(call) ?? .error(name: "org.example.Gone", message: "")
        }
        script("GetManagedObjects") { [weak self] _ in .values([self?.managedObjects ?? .boolean(false)]) }
        try await connection.requestName("org.bluez")
    }

    // MARK: Scripting

    func script(_ member: String, _ script: @escaping Script) { state.withLock { $0.scripts[member] = script } }

    func script(_ member: String, _ answer: MethodAnswer = .values([])) { script(member) { _ in answer } }

    func script(_ member: String, error: String, _ message: String = "") {
        script(member, .error(name: "org.bluez.Error." + error, message: message))
    }

    // MARK: What was asked

    var calls: [IncomingCall] { state.withLock(\.calls) }

    /// The members called, in order, without the snapshot.
    var members: [String] { calls.map(\.member).filter { $0 != "GetManagedObjects" } }

    /// Every UUID in any argument of any call.
    var uuidsAsked: Set<String> { Set(calls.flatMap(\.arguments).flatMap(\.texts).filter { $0.utf8.count == 36 }) }

    /// Returns once `member` was called `count` times.
    @discardableResult func called(_ member: String, times count: Int = 1) async -> IncomingCall {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                let found = state.calls.filter { $0.member == member }
                guard found.count < count else { return continuation.resume(returning: found[count - 1]) }
                state.watchers.append((member, count, continuation))
            }
        }
    }

    private func answer(_ call: IncomingCall) async -> MethodAnswer {
        let script = state.withLock { state in
            state.calls.append(call)
            let count = state.calls.count { $0.member == call.member }
            for watcher in state.watchers where watcher.member == call.member && watcher.count <= count {
                watcher.continuation.resume(returning: call)
            }
            state.watchers.removeAll { $0.member == call.member && $0.count <= count }
            return state.scripts[call.member]
        }
        guard let script else {
            Issue.record("not scripted: \(call.interface).\(call.member) at \(call.path) \(call.arguments)")
            return .error(name: "org.example.NotScripted", message: call.member)
        }
        return await script(call)
    }

    // MARK: What happens

    func change(_ path: String, _ properties: Properties, of interface: String = "org.bluez.Device1") async throws {
        state.withLock { $0.objects[path]?[interface]?.merge(properties) { $1 } }
        try await connection.emit(
            Signal(
                "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path,
                [.string(interface), .properties(properties), .array(element: "s", [])]))
    }

    func add(_ path: String, _ interface: String, _ properties: Properties) async throws {
        state.withLock { $0.objects[path, default: [:]][interface] = properties }
        try await connection.emit(
            Signal(
                "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", at: "/",
                [.objectPath(path), Self.interfaces([interface: properties])]))
    }

    func remove(_ path: String, of interface: String = "org.bluez.Device1") async throws {
        state.withLock { $0.objects[path] = nil }
        try await connection.emit(
            Signal(
                "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", at: "/",
                [.objectPath(path), .array(element: "s", [.string(interface)])]))
    }

    /// Calls an agent as BlueZ does.
    func ask(
        _ member: String, of caller: IncomingCall, agent: String, _ arguments: [DBusValue]
    ) async -> Result<[DBusValue], DBusError> {
        let call = MethodCall(member, of: "org.bluez.Agent1", at: agent, to: caller.sender, arguments)
        do throws(DBusError) {
            return .success(try await connection.call(call, deadline: .seconds(30)))
        } catch {
            return .failure(error)
        }
    }

    private var managedObjects: DBusValue { Self.managed(state.withLock(\.objects)) }

    static func managed(_ objects: Objects) -> DBusValue {
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            Dictionary(uniqueKeysWithValues: objects.map { (DBusValue.objectPath($0), interfaces($1)) }))
    }

    static func interfaces(_ interfaces: [String: Properties]) -> DBusValue {
        .dictionary(
            key: "s", value: "a{sv}",
            Dictionary(uniqueKeysWithValues: interfaces.map { (DBusValue.string($0), .properties($1)) }))
    }
}

extension DBusValue {
    /// All strings in it.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .variant(let inner): inner.texts
        case .array(_, let values), .structure(let values): values.flatMap(\.texts)
        case .dictionary(_, _, let entries): entries.flatMap { $0.key.texts + $0.value.texts }
        default: []
        }
    }
}
