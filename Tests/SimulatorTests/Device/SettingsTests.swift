import ControlProtocol
import Testing

@testable import Simulator

@Suite struct SettingsTests {
    private static let change: UInt32 = 3
    private static let brightness: UInt32 = 6
    private static let flashlight: UInt32 = 8
    private static let effect: UInt32 = 10
    private static let motion: UInt32 = 12
    private static let overlayOffset: UInt32 = 16
    private static let name: UInt32 = 48
    private static let end: UInt32 = 69

    private static func properties(_ link: inout TestLink) throws -> [PropertyInfo] {
        guard case .propertyCount(.success, let count) = try link.control(.propertyCount) else { return [] }
        return try (0..<count).flatMap { index -> [PropertyInfo] in
            guard case .propertyValues(.success, let found) = try link.control(.propertyValues(indices: [index])) else {
                return []
            }
            return found
        }
    }

    private static func value(_ index: UInt32, _ link: inout TestLink) throws -> PropertyScalar? {
        guard case .propertyValues(.success, let found) = try link.control(.propertyValues(indices: [index])),
            let property = found.first
        else { return nil }
        return try PropertyScalar(decoding: property.value, as: property.type)
    }

    private static func state(_ link: inout TestLink) throws -> EarsState? {
        guard case .propertyValues(.success, let found) = try link.control(.propertyValues(indices: [2])) else {
            return nil
        }
        return try found.first.map { try EarsState(decoding: $0.value) }
    }

    private static func set(
        _ values: [(UInt32, PropertyScalar)], id: UInt32? = 77, revision: UInt32 = 0, _ link: inout TestLink
    ) throws -> LocalControlStatus? {
        var properties = values.map { PropertyValue(index: $0.0, value: $0.1.encoded()) }
        if let id {
            let request = ChangeRequest(id: id, basedOnRevision: revision).encoded()
            properties.insert(PropertyValue(index: change, value: request), at: 0)
        }
        guard case .setPropertyValues(let status) = try link.control(.setPropertyValues(properties)) else {
            return nil
        }
        return status
    }

    @Test func `properties are the protocol's four, each setting with its descriptor, and the rest`() throws {
        var link = TestLink()
        let properties = try Self.properties(&link)
        let effects = EffectCatalogue.entries.map { "effect.\($0.name)" }
        let settings =
            [
                "power", "brightness", "flashlight", "effect", "motion", "overlay", "overlay-offset", "led-output",
                "ear-wiring",
            ] + effects + ["palette", "name", "wifi-password"]
        let rest =
            (0..<4).map { "palette.built-in.\($0)" } + (0..<8).map { "palette.saved.\($0)" } + [
                "palette.command", "motion.state", "motion.command", "storage.state", "storage.command",
            ]
        #expect(
            properties.map(\.name)
                == ["device", "capabilities", "state", "change"] + settings.flatMap { [$0, $0 + ".descriptor"] } + rest)
        for (position, setting) in settings.enumerated() {
            let descriptor = try SettingDescriptor(decoding: properties[5 + 2 * position].value)
            #expect(descriptor.setting == setting)
        }
        #expect(properties[3].flags == .writeOnly)
        #expect(properties[3].value == [])
        let device = try DeviceInformation(decoding: properties[0].value)
        #expect(
            device
                == DeviceInformation(
                    family: "esp32", chip: "ESP32", firmwareVersion: TestImage.oldVersion, name: "espurr-ABCD",
                    hardwareRevision: "A", applicationProtocol: 2))
    }

    @Test func `every default is a value that its own descriptor allows`() {
        for definition in SettingDefinition.all(factoryName: "espurr-0000", isLater: true) {
            #expect(definition.refusal(of: definition.defaultValue, capabilities: Capability.allCases) == nil)
        }
    }

    @Test func `a change is pending, applied, saving, saved, and its revision grows by one`() throws {
        var link = TestLink()
        #expect(try Self.set([(Self.brightness, .int32(40))], &link) == .success)
        var seen: [(ChangeStage, PropertyScalar?)] = []
        for wait in [0, 20, 50, 300] {
            link.wait(.milliseconds(wait))
            let change = try Self.state(&link)?.lastChange
            seen.append((change?.stage ?? .none, try Self.value(Self.brightness, &link)))
        }
        #expect(seen.map(\.0) == [.pending, .applied, .saving, .saved])
        #expect(seen.map(\.1) == [.int32(60), .int32(40), .int32(40), .int32(40)])
        #expect(
            try Self.state(&link)?.lastChange
                == Change(id: 77, revision: 1, stage: .saved, properties: [Self.brightness]))
        #expect(try Self.state(&link)?.revision == 1)
    }

    @Test func `a saved setting survives power loss, one that was only applied does not`() throws {
        var link = TestLink()
        _ = try Self.set([(Self.brightness, .int32(40))], &link)
        link.wait(.seconds(1))
        _ = try Self.set([(Self.effect, .string("comet"))], revision: 1, &link)
        link.wait(.milliseconds(60))
        link.ears.powerOff(at: link.now)
        link.ears.powerOn(at: link.now)
        link.wait(.seconds(2))
        link.connect()
        #expect(try Self.value(Self.brightness, &link) == .int32(40))
        #expect(try Self.value(Self.effect, &link) == .string("aurora"))
        #expect(try Self.state(&link)?.revision == 2)
    }

    @Test func `a temporary setting ends at applied and is off after a boot`() throws {
        var link = TestLink()
        _ = try Self.set([(Self.flashlight, .boolean(true))], &link)
        link.wait(.seconds(5))
        #expect(try Self.state(&link)?.lastChange?.stage == .applied)
        #expect(try Self.value(Self.flashlight, &link) == .boolean(true))
        try link.restart()
        #expect(try Self.value(Self.flashlight, &link) == .boolean(false))
    }

    @Test func `a save that fails leaves the value in force until the next boot`() throws {
        var link = TestLink([.saveFails])
        _ = try Self.set([(Self.brightness, .int32(40))], &link)
        link.wait(.seconds(1))
        #expect(try Self.state(&link)?.lastChange?.stage == .saveFailed)
        #expect(try Self.value(Self.brightness, &link) == .int32(40))
        try link.restart()
        #expect(try Self.value(Self.brightness, &link) == .int32(60))
    }

    @Test func `the ears advertise their new name`() throws {
        var link = TestLink()
        _ = try Self.set([(Self.name, .string("Mia"))], &link)
        link.wait(.seconds(1))
        link.ears.disconnect(at: link.now)
        #expect(link.ears.advertisement?.name == "Mia")
    }

    @Test(arguments: [
        ([(brightness, PropertyScalar.int32(101))], brightness, SettingRefusalReason.outOfRange),
        ([(brightness, .boolean(true))], brightness, .outOfRange),
        ([(overlayOffset, .int32(-181))], overlayOffset, .outOfRange),
        ([(effect, .string("no such effect"))], effect, .outOfRange),
        ([(name, .string(""))], name, .outOfRange),
        ([(name, .string("a name of 21 bytes...")), (brightness, .int32(1))], name, .outOfRange),
        ([(brightness, .int32(1)), (UInt32(2), .int32(1))], 2, .readOnly),
        ([(UInt32(7), .int32(1))], 7, .readOnly),
    ])
    func `a refused change changes nothing and says why`(
        values: [(UInt32, PropertyScalar)], property: UInt32, reason: SettingRefusalReason
    ) throws {
        var link = TestLink()
        #expect(try Self.set(values, &link) == .invalidArgument)
        link.wait(.seconds(1))
        let state = try Self.state(&link)
        #expect(state?.revision == 0)
        #expect(state?.lastChange == nil)
        #expect(state?.lastRefusal == SettingRefusal(changeID: 77, property: property, reason: reason))
        #expect(try Self.value(Self.brightness, &link) == .int32(60))
    }

    @Test func `a change on a state that has moved on is stale`() throws {
        var link = TestLink()
        _ = try Self.set([(Self.brightness, .int32(40))], &link)
        link.wait(.seconds(1))
        #expect(try Self.set([(Self.brightness, .int32(50))], id: 78, revision: 0, &link) == .invalidArgument)
        #expect(
            try Self.state(&link)?.lastRefusal
                == SettingRefusal(changeID: 78, property: Self.brightness, reason: .staleRevision))
    }

    @Test func `a change while another is pending finds the ears busy`() throws {
        var link = TestLink()
        _ = try Self.set([(Self.brightness, .int32(40))], &link)
        #expect(try Self.set([(Self.effect, .string("wave"))], id: 78, &link) == .invalidArgument)
        #expect(try Self.state(&link)?.lastRefusal?.reason == .busy)
    }

    @Test func `without the capability a setting is refused, and nothing else is`() throws {
        var link = TestLink([.without(.motion)])
        #expect(try Self.set([(Self.motion, .boolean(false))], &link) == .invalidArgument)
        #expect(try Self.state(&link)?.lastRefusal?.reason == .capabilityMissing)
        #expect(try Self.set([(Self.brightness, .int32(40))], &link) == .success)
    }

    @Test func `a set request without change is unconditional and moves the revision`() throws {
        var link = TestLink()
        #expect(try Self.set([(Self.brightness, .int32(40))], id: nil, &link) == .success)
        link.wait(.seconds(1))
        #expect(
            try Self.state(&link)?.lastChange
                == Change(id: 0, revision: 1, stage: .saved, properties: [Self.brightness]))
    }

    @Test func `Status 4 without a refusal: a bad index, a change of id 0, a change of nothing`() throws {
        var link = TestLink()
        #expect(try Self.set([(Self.end, .int32(1))], &link) == .invalidArgument)
        #expect(try Self.set([(Self.brightness, .int32(1))], id: 0, &link) == .invalidArgument)
        #expect(try Self.set([], &link) == .invalidArgument)
        #expect(try Self.state(&link)?.lastRefusal == nil)
        let reply = try link.control(.propertyValues(indices: [0, Self.end]))
        #expect(reply == .propertyValues(status: .invalidArgument, properties: []))
    }

    @Test func `in recovery there are the access point's password and the storage, and no other settings`() throws {
        var link = TestLink(mode: .recovery)
        #expect(
            try Self.properties(&link).map(\.name) == [
                "device", "capabilities", "state", "change", "wifi-password", "wifi-password.descriptor",
                "storage.state", "storage.command", "wifi-password.is-set",
            ])
        #expect(try Self.value(8, &link) == .boolean(false))
        #expect(try Self.set([(Self.motion, .boolean(false))], &link) == .invalidArgument)
        #expect(try Self.state(&link)?.lastRefusal?.reason == .wrongMode)
        #expect(try Self.set([(4, .string("12345678"))], &link) == .success)
        link.wait(.seconds(1))
        #expect(try Self.value(8, &link) == .boolean(true))
        #expect(try link.install(TestImage.ears(TestImage.newVersion)).state == .selected)
    }

    @Test func `every property fits one exchange, of ears with everything too`() throws {
        for faults in [[], [Fault.laterFirmware]] {
            var link = TestLink(faults)
            let properties = try Self.properties(&link)
            #expect(properties.count >= Int(Self.end))
            for property in properties {
                let reply = LocalControlResponse.propertyValues(status: .success, properties: [property])
                #expect(reply.encoded().count <= SimulatedEars.exchangeLimit, "\(property.name)")
            }
        }
    }

    @Test(arguments: ["a\nb", "a\u{7F}", "\u{9B}2J", "\u{202E}cat", "a\u{2028}b"])
    func `a name that would steer a terminal is refused`(text: String) throws {
        var link = TestLink()
        #expect(try Self.set([(Self.name, .string(text))], &link) == .invalidArgument)
        #expect(try Self.state(&link)?.lastRefusal?.reason == .outOfRange)
    }

    @Test func `a save under way is finished although a temporary change follows`() throws {
        var link = TestLink()
        _ = try Self.set([(Self.brightness, .int32(40))], &link)
        link.wait(.milliseconds(100))
        _ = try Self.set([(Self.flashlight, .boolean(true))], id: 78, revision: 1, &link)
        link.wait(.seconds(1))
        #expect(try Self.state(&link)?.lastChange?.stage == .applied)
        try link.restart()
        #expect(try Self.value(Self.brightness, &link) == .int32(40))
        #expect(try Self.value(Self.flashlight, &link) == .boolean(false))
    }
}
