import Bluetooth
import ControlProtocol
import Synchronization
import TestSupport
import Testing

/// The control endpoint at the level of messages, with a few settings. What becomes of a change is for the test to say.
final class FakeSettings: Sendable {
    /// How a set request goes.
    enum Course: Sendable {
        /// Through these stages, one for each read of the state, the last one for good.
        case stages([ChangeStage])
        case refused(SettingRefusalReason?)
        /// Applied, and the link ends before the reply.
        case lostReply(applied: Bool)
        /// Applied, and the reply cannot be read, with the link up.
        case unreadableReply
        /// Saved, though with another value than the one that was sent.
        case savesSomethingElse
    }

    struct State {
        var properties: [PropertyInfo]
        var ears = EarsState(revision: 7)
        var course: Course
        var stagesLeft: [ChangeStage] = []
        var setRequests: [[PropertyValue]] = []
        var looks = 0
        var largestReply = 512
        var replySizes: [Int] = []
        /// What `storage.state` reads until a change is taken.
        var storageBefore = StorageState(health: .damaged, lostByRepair: ["settings"])
        /// One for each read after it, the last one for good.
        var storageAfter: [StorageState] = []
    }

    let state: Mutex<State>

    init(
        _ course: Course = .stages([.saved]), capabilities: [String] = ["motion"], settings: [FakeSetting] = .ordinary
    ) {
        state = Mutex(State(properties: Self.table(capabilities, settings), course: course))
    }

    /// Ears whose storage is damaged.
    convenience init(_ course: Course, storageAfter: [StorageState]) {
        self.init(course)
        state.withLock {
            $0.storageAfter = storageAfter
            $0.properties.append(PropertyInfo(name: "storage.state", type: .message, flags: .readOnly, value: []))
            $0.properties.append(PropertyInfo(name: "storage.command", type: .message, flags: .writeOnly, value: []))
        }
    }

    var setRequests: [[PropertyValue]] { state.withLock(\.setRequests) }
    /// How often the state was read since a change was taken.
    var looks: Int { state.withLock(\.looks) }

    private static func table(_ capabilities: [String], _ settings: [FakeSetting]) -> [PropertyInfo] {
        let device = DeviceInformation(
            family: "s3", chip: "ESP32-S3", firmwareVersion: "1.4.0", name: "espurr-0001", hardwareRevision: "A",
            applicationProtocol: 2)
        var table = [
            PropertyInfo(name: "device", type: .message, flags: .readOnly, value: device.encoded()),
            PropertyInfo(
                name: "capabilities", type: .message, flags: .readOnly,
                value: Capabilities(names: capabilities).encoded()),
            PropertyInfo(name: "state", type: .message, flags: .readOnly, value: []),
            PropertyInfo(name: "change", type: .message, flags: .writeOnly, value: []),
        ]
        for setting in settings {
            table.append(setting.property)
            guard let descriptor = setting.descriptor else { continue }
            table.append(
                PropertyInfo(
                    name: setting.property.name + ".descriptor", type: .message, flags: .readOnly,
                    value: descriptor.encoded()))
        }
        return table
    }

    var handler: EndpointPeripheral.Handler {
        { [self] bytes in
            guard let request = try? LocalControlRequest(decoding: bytes) else {
                return .writeFails(.attribute(code: 0x04, during: .write))
            }
            return answer(request)
        }
    }

    private func answer(_ request: LocalControlRequest) -> EndpointPeripheral.Answer {
        state.withLock { state in
            switch request {
            case .propertyCount:
                return .reply(
                    LocalControlResponse.propertyCount(status: .success, count: UInt32(state.properties.count))
                        .encoded())
            case .propertyValues(let indices): return state.values(indices)
            case .setPropertyValues(let values): return state.set(values)
            }
        }
    }
}

extension FakeSettings.State {
    mutating func values(_ indices: [UInt32]) -> EndpointPeripheral.Answer {
        var found: [PropertyInfo] = []
        for index in indices {
            var property = properties[Int(index)]
            if property.name == "state" { property.value = nextState().encoded() }
            if property.name == "storage.state" { property.value = nextStorage().encoded() }
            found.append(property)
        }
        let reply = LocalControlResponse.propertyValues(status: .success, properties: found).encoded()
        guard reply.count <= largestReply else { return .readFails(.attribute(code: 0x0D, during: .read)) }
        replySizes.append(reply.count)
        return .reply(reply)
    }

    private mutating func nextState() -> EarsState {
        if !setRequests.isEmpty { looks += 1 }
        if let stage = stagesLeft.first {
            ears.lastChange?.stage = stage
            if stagesLeft.count > 1 { stagesLeft.removeFirst() }
        }
        return ears
    }

    private mutating func nextStorage() -> StorageState {
        guard ears.lastChange != nil, let next = storageAfter.first else { return storageBefore }
        if storageAfter.count > 1 { storageAfter.removeFirst() }
        return next
    }

    mutating func set(_ values: [PropertyValue]) -> EndpointPeripheral.Answer {
        setRequests.append(values)
        let accepted = LocalControlResponse.setPropertyValues(status: .success).encoded()
        guard let first = values.first, let change = try? ChangeRequest(decoding: first.value) else {
            return .reply(LocalControlResponse.setPropertyValues(status: .invalidArgument).encoded())
        }
        switch course {
        case .stages(let stages):
            take(change, values, stages)
            return .reply(accepted)
        case .refused(let reason):
            if let reason {
                ears.lastRefusal = SettingRefusal(changeID: change.id, property: values[1].index, reason: reason)
            }
            return .reply(LocalControlResponse.setPropertyValues(status: .invalidArgument).encoded())
        case .lostReply(let applied):
            if applied { take(change, values, [.saved]) }
            return .linkEndsBeforeReply
        case .unreadableReply:
            take(change, values, [.saved])
            return .readFails(.attribute(code: 0x0E, during: .read))
        case .savesSomethingElse:
            let wanted = values.map { PropertyValue(index: $0.index, value: $0.value.map { $0 ^ 1 }) }
            take(change, wanted, [.saved])
            return .reply(accepted)
        }
    }

    private mutating func take(_ change: ChangeRequest, _ values: [PropertyValue], _ stages: [ChangeStage]) {
        ears.revision += 1
        ears.lastChange = Change(
            id: change.id, revision: ears.revision, stage: .pending, properties: values.dropFirst().map(\.index))
        stagesLeft = stages
        for value in values.dropFirst() { properties[Int(value.index)].value = value.value }
    }
}

struct FakeSetting: Sendable {
    var property: PropertyInfo
    var descriptor: SettingDescriptor?

    init(
        _ name: String, _ value: PropertyScalar, _ kind: SettingKind?, capability: String = "",
        isTemporary: Bool = false, flags: PropertyFlags = []
    ) {
        property = PropertyInfo(name: name, type: value.type, flags: flags, value: value.encoded())
        descriptor = kind.map {
            SettingDescriptor(
                setting: name, title: name, capability: capability, isTemporary: isTemporary, kind: $0)
        }
    }
}

extension [FakeSetting] {
    static let ordinary = [
        FakeSetting("brightness", .int32(60), .integer(minimum: 0, maximum: 100, step: 5)),
        FakeSetting("flashlight", .boolean(false), .boolean, isTemporary: true),
        FakeSetting("effect", .string("aurora"), .enumeration(choices: ["aurora", "comet"])),
        FakeSetting("wiring", .int32(0), .enumeration(choices: ["left", "right"])),
        FakeSetting("name", .string("espurr-0001"), .text(minimumBytes: 1, maximumBytes: 8)),
        FakeSetting("microphone", .boolean(false), .boolean, capability: "audio"),
        FakeSetting("serial", .string("0001"), .text(minimumBytes: 0, maximumBytes: 16), flags: .readOnly),
        FakeSetting("plain", .int32(3), nil),
    ]
}

/// A pair of connected ears with fake settings.
struct FakeEars {
    static let version = #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2,"mode":"normal"}}"#

    static func peripheral(
        version: String = version, settings: FakeSettings = FakeSettings(),
        more: [EndpointName: EndpointPeripheral.Handler] = [:], extra: [(Characteristic, name: String)] = []
    ) throws -> EndpointPeripheral {
        var handlers: [EndpointName: EndpointPeripheral.Handler] = [
            .version: { _ in .reply(Array(version.utf8)) }, .control: settings.handler,
        ]
        handlers.merge(more) { $1 }
        return EndpointPeripheral(
            address: try #require(BluetoothAddress("F0:00:00:00:00:01")), adapter: try #require(AdapterName("hci0")),
            handlers: handlers, extra: extra)
    }
}
