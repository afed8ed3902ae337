import TestSupport
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct ValueTests {
    static var values: [DBusValue] {
        [
            .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min),
            .uint32(.max), .int64(.min), .uint64(.max), .double(-0.5), .double(.infinity), .string(""),
            .string("naïve 🐈 \u{FFFE}"), .objectPath("/"), .objectPath("/org/bluez/hci0"), .signature(""),
            .signature("a{sv}(ii)"), .bytes([]), .bytes([0, 1, 255]), .array(element: "s", []),
            .array(element: "s", [.string("a"), .string("b")]), .array(element: "ay", [.bytes([]), .bytes([9])]),
            .array(element: "(bt)", [.structure([.boolean(true), .uint64(1)])]),
            .array(element: "v", [.variant(.byte(1))]),
            .array(element: "t", []), .dictionary(key: "s", value: "v", [:]),
            .properties(["Powered": .boolean(true), "RSSI": .int16(-60), "UUIDs": .array(element: "s", [])]),
            .dictionary(
                key: "o", value: "a{sa{sv}}",
                [
                    .objectPath("/a"): .dictionary(
                        key: "s", value: "a{sv}", [.string("org.example.I"): .properties(["A": .byte(1)])])
                ]),
            .dictionary(key: "y", value: "s", [.byte(1): .string("one"), .byte(2): .string("two")]),
            .structure([.byte(1), .structure([.string("x"), .double(2)]), .bytes([7])]),
            .variant(.variant(.variant(.structure([.int16(-1)])))),
        ]
    }

    @Test func `a value of every type comes back through the bus as it was sent`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { .values($0.arguments) }
        for value in ValueTests.values {
            #expect(try await pair.client.call(pair.call([value]), deadline: patience) == [value])
        }
        #expect(try await pair.client.call(pair.call(ValueTests.values), deadline: patience) == ValueTests.values)
        await pair.close()
    }

    @Test func `an array of bytes may be written element by element`() throws {
        let value = DBusValue.array(element: "y", [.byte(1), .byte(2)])
        #expect(try Wire.received(try Wire.bytes([value])) == [.bytes([1, 2])])
    }

    static var invalid: [DBusValue] {
        [
            .string("a\0b"), .objectPath(""), .objectPath("a"), .objectPath("/a/"), .objectPath("/a\0"),
            .signature("a"), .signature("(i"), .signature("i\0"), .signature(String(repeating: "i", count: 256)),
            .structure([]), .array(element: "", []), .array(element: "ss", []), .array(element: "{sv}", []),
            .array(element: "s", [.string("a"), .byte(1)]), .array(element: "v", [.byte(1)]),
            .dictionary(key: "v", value: "s", [:]), .dictionary(key: "as", value: "s", [:]),
            .dictionary(key: "s", value: "", [:]), .dictionary(key: "s", value: "v", [.string("a"): .byte(1)]),
            .dictionary(key: "s", value: "s", [.byte(1): .string("a")]),
            .array(element: String(repeating: "a", count: 32) + "y", []),
            .fileDescriptor(OwnedDescriptor(owning: -1)), .variant(.structure([])),
        ]
    }

    @Test(arguments: invalid) func `a value that D-Bus does not have is refused`(value: DBusValue) {
        #expect(throws: DBusError.self) { try MessageBody([value]) }
    }

    @Test func `containers nest as deep as the bus allows, and no deeper is sent`() async throws {
        let pair = try await Pair()
        try await pair.server.export(at: "/") { .values($0.arguments) }
        let deepest = DBusValue.nestedVariants(DBusLimits.totalDepth)
        #expect(try await pair.client.call(pair.call([deepest]), deadline: patience) == [deepest])
        await #expect(throws: DBusError.invalidMessage("containers nested deeper than 64")) {
            try await pair.client.call(pair.call([.variant(deepest)]), deadline: patience)
        }
        await #expect(throws: DBusError.self) {
            try await pair.client.call(pair.call([.nestedStructures(33)]), deadline: patience)
        }
        let structures = DBusValue.nestedStructures(32)
        #expect(try await pair.client.call(pair.call([structures]), deadline: patience) == [structures])
        await pair.close()
    }

    @Test func `an array one byte longer than D-Bus allows is refused`() throws {
        let longest = [UInt8](repeating: 0, count: DBusLimits.arrayLength)
        #expect(try MessageBody([.bytes(longest)]).length == DBusLimits.arrayLength + 4)
        #expect(throws: DBusError.invalidMessage("an array longer than 67108864 bytes")) {
            try MessageBody([.bytes(longest + [0])])
        }
        #expect(throws: DBusError.invalidMessage("a body longer than 134152192 bytes")) {
            try MessageBody([.bytes(longest), .bytes(longest)])
        }
    }

    @Test func `properties come out of their variants`() {
        let properties: [String: DBusValue] = ["Name": .string("ears"), "Paired": .boolean(true)]
        #expect(DBusValue.properties(properties).properties == properties)
        #expect(DBusValue.dictionary(key: "s", value: "s", [:]).properties == nil)
        #expect(DBusValue.variant(.variant(.byte(3))).unwrapped == .byte(3))
    }
}

extension DBusValue {
    static func nestedVariants(_ depth: Int) -> DBusValue {
        (0..<depth).reduce(.byte(1)) { inner, _ in .variant(inner) }
    }

    static func nestedStructures(_ depth: Int) -> DBusValue {
        (0..<depth).reduce(.byte(1)) { inner, _ in .structure([inner]) }
    }
}
