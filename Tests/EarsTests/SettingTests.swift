import Bluetooth
import ControlProtocol
import Ears
import Synchronization
import TestSupport
import Testing

@Suite struct `Reading settings` {
    @Test func `each setting has its value, by its own description`() async throws {
        let session = try await EarsSession.open(on: FakeEars.peripheral())
        let settings = try await session.settings()
        let values = settings.map { "\($0.name)=\($0.value.map(\.description) ?? "-")" }
        #expect(
            values == [
                "brightness=60", "flashlight=off", "effect=aurora", "wiring=left", "name=espurr-0001",
                "microphone=off", "serial=0001", "plain=3",
            ])
        #expect(settings.filter { $0.missingCapability != nil }.map(\.name) == ["microphone"])
    }

    @Test(arguments: [90, 128, 200, 512])
    func `a batch whose reply does not fit is halved until it does`(largestReply: Int) async throws {
        let fake = FakeSettings()
        fake.state.withLock { $0.largestReply = largestReply }
        let peripheral = try FakeEars.peripheral(settings: fake)
        let session = try await EarsSession.open(on: peripheral)
        #expect(
            try await session.properties().map(\.name).prefix(6) == [
                "device", "capabilities", "state", "change", "brightness", "brightness.descriptor",
            ])
        #expect(fake.state.withLock(\.replySizes).allSatisfy { $0 <= largestReply })
        #expect(peripheral.violations == [])
    }

    @Test func `one property that fits no reply is named`() async throws {
        let fake = FakeSettings()
        fake.state.withLock { $0.largestReply = 20 }
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        await #expect(throws: EarsError.wire(.propertyTooLarge(index: 0))) { try await session.properties() }
    }

    @Test func `one name for two properties is a fault of the wire`() async throws {
        let twice = FakeSetting("brightness", .int32(1), nil)
        let fake = FakeSettings(settings: .ordinary + [twice])
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        await #expect(throws: EarsError.wire(.duplicateProperty("brightness"))) { try await session.settings() }
    }

    @Test func `a value that its type does not allow is a fault of the wire`() async throws {
        var bad = FakeSetting("odd", .boolean(true), .boolean)
        bad.property.value = [2]
        let fake = FakeSettings(settings: [bad])
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        await #expect(throws: EarsError.wire(.malformedProperty("odd"))) { try await session.settings() }
    }

    @Test func `a setting that recovery mode does not have says so`() async throws {
        let recovery = FakeEars.version.replacing("normal", with: "recovery")
        let peripheral = try FakeEars.peripheral(version: recovery, settings: FakeSettings(settings: []))
        let session = try await EarsSession.open(on: peripheral)
        let expected = SettingError(setting: "brightness", reason: .wrongMode(.recovery))
        await #expect(throws: EarsError.setting(expected)) { try await session.setting("brightness") }
    }
}

@Suite struct `Values that are refused before anything is sent` {
    @Test(arguments: [
        ("brightness", "101", SettingError.Reason.outOfRange(minimum: 0, maximum: 100, step: 5)),
        ("brightness", "-5", .outOfRange(minimum: 0, maximum: 100, step: 5)),
        ("brightness", "42", .outOfRange(minimum: 0, maximum: 100, step: 5)),
        ("brightness", "bright", .notAnInteger),
        ("brightness", "99999999999999999999", .notAnInteger),
        ("flashlight", "maybe", .notABoolean),
        ("effect", "Comet", .notAChoice(["aurora", "comet"])),
        ("wiring", "middle", .notAChoice(["left", "right"])),
        ("name", "nine byte", .tooLong(maximumBytes: 8)),
        ("name", "ééééé", .tooLong(maximumBytes: 8)),
        ("name", "", .tooShort(minimumBytes: 1)),
        ("serial", "0002", .readOnly),
        ("microphone", "on", .capabilityMissing("audio")),
        ("plain", "4294967296", .outOfRange(minimum: -2_147_483_648, maximum: 2_147_483_647, step: 1)),
    ])
    func `a value that does not fit`(name: String, text: String, reason: SettingError.Reason) async throws {
        let fake = FakeSettings()
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        let descriptor = try await session.settings().first { $0.name == name }?.descriptor
        #expect(descriptor != nil || name == "plain")
        let expected = SettingError(setting: name, reason: reason, typed: text, descriptor: descriptor)
        await #expect(throws: EarsError.setting(expected)) { try await session.set([(name, .text(text))]) }
        #expect(fake.setRequests == [])
    }

    @Test func `a setting that is not there is told with the names of those that are`() async throws {
        let fake = FakeSettings()
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        let names = try await session.settings().map(\.name).sorted()
        #expect(names.contains("brightness"))
        let expected = SettingError(setting: "sparkle", reason: .noSuchSetting, known: names)
        await #expect(throws: EarsError.setting(expected)) { try await session.set([("sparkle", .text("on"))]) }
        let afresh = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        await #expect(throws: EarsError.setting(expected)) { try await afresh.setting("sparkle") }
        #expect(fake.setRequests == [])
    }

    @Test func `one bad value keeps the whole change from being sent`() async throws {
        let fake = FakeSettings()
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        let expected = SettingError(
            setting: "effect", reason: .notAChoice(["aurora", "comet"]), typed: "nova",
            descriptor: try await session.setting("effect").descriptor)
        await #expect(throws: EarsError.setting(expected)) {
            try await session.set([("brightness", .text("40")), ("effect", .text("nova"))])
        }
        #expect(fake.setRequests == [])
    }

    @Test func `a setting named twice in one change`() async throws {
        let fake = FakeSettings()
        let session = try await EarsSession.open(on: FakeEars.peripheral(settings: fake))
        let expected = SettingError(setting: "brightness", reason: .namedTwice)
        await #expect(throws: EarsError.setting(expected)) {
            try await session.set([("brightness", .text("40")), ("brightness", .text("45"))])
        }
        #expect(fake.setRequests == [])
    }

    @Test(arguments: ["on", "TRUE", "yes", "1"])
    func `a boolean may be written in several ways`(text: String) async throws {
        let session = try await EarsSession.open(on: FakeEars.peripheral())
        #expect(try await session.setting("flashlight").parse(text) == .boolean(true))
    }
}
