import ControlProtocol
import Testing

@Suite struct `Protobuf's rules` {
    @Test(arguments: [
        ("a varint", "98 06 07"), ("a fixed64", "99 06 01 02 03 04 05 06 07 08"), ("a string", "9a 06 02 61 62"),
        ("a fixed32", "9d 06 01 02 03 04"), ("a group", "9b 06 08 01 9c 06"),
        ("groups in a group", "9b 06 a3 06 12 01 61 a4 06 9c 06"),
    ])
    func `an unknown field is skipped`(what: String, hex: String) throws {
        #expect(try ChangeRequest(decoding: bytes(hex + "08 05")) == ChangeRequest(id: 5, basedOnRevision: 0))
        #expect(try ChangeRequest(decoding: bytes("08 05" + hex)) == ChangeRequest(id: 5, basedOnRevision: 0))
    }

    @Test func `unknown fields of what is written back are kept, and come behind the known ones`() throws {
        // Field 9 and, in the first stop, field 3: of no version yet.
        let later = bytes("48 05 0a 06 08 01 18 07 10 02 10 01")
        var palette = try Palette(decoding: later)
        #expect(palette.stops == [PaletteStop(position: 1, colour: 2, unknownFields: [0x18, 0x07])])
        #expect(palette.encoded() == bytes("0a 06 08 01 10 02 18 07 10 01 48 05"))
        palette.blend = .smooth
        #expect(palette.encoded() == bytes("0a 06 08 01 10 02 18 07 48 05"))
        let parameters = bytes("0a 06 0a 01 61 3a 01 62 12 00")
        #expect(try EffectParameters(decoding: parameters).values.map(\.value) == [.unknown])
        #expect(try EffectParameters(decoding: parameters).encoded() == parameters)
    }

    @Test func `a known number in another wire type is unknown`() throws {
        let hex = "0a 01 61 0d 01 02 03 04 10 09"
        #expect(try ChangeRequest(decoding: bytes(hex)) == ChangeRequest(id: 0, basedOnRevision: 9))
    }

    @Test func `the last scalar wins`() throws {
        #expect(try ChangeRequest(decoding: bytes("08 05 08 06")) == ChangeRequest(id: 6, basedOnRevision: 0))
        #expect(
            try DeviceInformation(decoding: bytes("0a 01 61 0a 01 62")).family == "b")
    }

    @Test func `an embedded message that comes twice is merged`() throws {
        let state = try EarsState(decoding: bytes("12 04 08 05 22 00 12 05 10 09 22 01 03 12 04 08 06 20 04"))
        #expect(state.lastChange == Change(id: 6, revision: 9, stage: .none, properties: [3, 4]))
    }

    @Test func `of a oneof the last member wins, and the same member is merged`() throws {
        #expect(try UpdateRequest(decoding: bytes("22 02 08 01 2a 02 08 02")) == .abort(session: 2))
        #expect(try UpdateRequest(decoding: bytes("22 02 08 01 2a 00")) == .abort(session: 0))
        #expect(
            try UpdateRequest(decoding: bytes("1a 02 08 01 1a 02 10 02")) == .chunk(session: 1, offset: 2, data: []))
        #expect(
            try SettingDescriptor(decoding: bytes("5a 02 08 01 5a 02 10 02")).kind
                == .integer(minimum: -1, maximum: 1, step: 0))
        #expect(try SettingDescriptor(decoding: bytes("5a 02 08 01 52 00")).kind == .boolean)
    }

    @Test func `a member of a oneof in another wire type changes nothing`() throws {
        #expect(try UpdateRequest(decoding: bytes("22 02 08 01 28 02")) == .finish(session: 1))
    }

    @Test func `repeated numbers are read packed, unpacked and mixed`() throws {
        let request = LocalControlRequest.propertyValues(indices: [1, 2, 300])
        for content in ["0a 04 01 02 ac 02", "08 01 08 02 08 ac 02", "0a 01 01 08 02 0a 02 ac 02"] {
            let content = bytes(content)
            #expect(try LocalControlRequest(decoding: bytes("08 04 62") + [UInt8(content.count)] + content) == request)
        }
    }

    @Test func `any varint but 0 is true`() throws {
        #expect(try SettingDescriptor(decoding: bytes("28 80 80 80 80 80 80 80 80 80 01")).isTemporary)
        #expect(try !SettingDescriptor(decoding: bytes("28 80 00")).isTemporary)
    }

    @Test func `a number of more than 32 bits is cut`() throws {
        #expect(try ChangeRequest(decoding: bytes("08 85 80 80 80 10")).id == 5)
    }

    @Test func `an unknown kind of setting is kept as unknown`() throws {
        let descriptor = try SettingDescriptor(decoding: bytes("0a 01 61 8a 01 02 08 01"))
        #expect(descriptor == SettingDescriptor(setting: "a", title: "", kind: .unknown))
    }

    @Test func `bytes in the middle of others are read, with offsets of their own`() throws {
        let surrounded = bytes("ff ff 08 05 ff")
        #expect(try ChangeRequest(decoding: surrounded[2..<4]) == ChangeRequest(id: 5, basedOnRevision: 0))
        #expect(throws: WireError.truncated(offset: 1)) { try ChangeRequest(decoding: surrounded[2..<3]) }
    }
}

@Suite struct `Malformed bytes` {
    @Test(arguments: [
        ("08", WireError.truncated(offset: 1)),
        ("08 80", .truncated(offset: 2)),
        ("9a 06 03 61 62", .truncated(offset: 3)),
        ("9a 06 ff ff ff ff ff ff ff ff ff 01", .truncated(offset: 2)),
        ("9a 06 ff ff ff ff ff ff ff ff 7f", .truncated(offset: 11)),
        ("99 06 01 02 03 04 05 06 07", .truncated(offset: 2)),
        ("9d 06 01 02 03", .truncated(offset: 2)),
        ("9b 06 08 01", .truncated(offset: 4)),
        ("08 ff ff ff ff ff ff ff ff ff 02", .varintTooLong(offset: 1)),
        ("08 80 80 80 80 80 80 80 80 80 80 00", .varintTooLong(offset: 1)),
        ("00 01", .invalidTag(offset: 0)),
        ("08 01 06", .invalidTag(offset: 2)),
        ("0f", .invalidTag(offset: 0)),
        ("88 80 80 80 10 01", .invalidTag(offset: 0)),
        ("9c 06", .unmatchedEndOfGroup(offset: 0)),
        ("9b 06 a4 06", .unmatchedEndOfGroup(offset: 2)),
    ])
    func `are refused with the fault and its place`(hex: String, error: WireError) {
        #expect(throws: error) { try ChangeRequest(decoding: bytes(hex)) }
    }

    @Test(arguments: ["ff", "c0 80", "ed a0 80", "f4 90 80 80", "c3"])
    func `text that is not UTF-8 is refused`(hex: String) {
        let text = bytes(hex)
        #expect(throws: WireError.invalidUTF8(offset: 1)) {
            try DeviceInformation(decoding: [0x0A, UInt8(text.count)] + text)
        }
        #expect(throws: WireError.invalidUTF8(offset: 1)) {
            try Capabilities(decoding: [0x0A, UInt8(text.count)] + text)
        }
    }

    @Test func `a field does not reach past the message around it`() {
        #expect(throws: WireError.truncated(offset: 4)) { try EarsState(decoding: bytes("12 02 22 01 08 01")) }
        #expect(throws: WireError.truncated(offset: 2)) { try EarsState(decoding: bytes("12 05 08 01")) }
        #expect(throws: WireError.truncated(offset: 6)) { try EarsState(decoding: bytes("12 04 22 02 01 80 01 01")) }
    }

    @Test(arguments: [("", WireError.missingPayload), ("08 04", .missingPayload), ("98 06 01", .missingPayload)])
    func `a control request without payload is refused`(hex: String, error: WireError) {
        #expect(throws: error) { try LocalControlRequest(decoding: bytes(hex)) }
    }

    @Test(arguments: [
        ("62 00", WireError.payloadMismatch(messageType: 0, payloadField: 12)),
        ("08 04 52 00", .payloadMismatch(messageType: 4, payloadField: 10)),
        ("08 06 7a 00", .payloadMismatch(messageType: 6, payloadField: 15)),
        ("08 01 5a 00", .unexpectedMessageType(1)),
        ("08 02 52 00", .unexpectedMessageType(2)),
    ])
    func `a control request whose payload is not what msg says is refused`(hex: String, error: WireError) {
        #expect(throws: error) { try LocalControlRequest(decoding: bytes(hex)) }
    }

    @Test(arguments: [
        ("", WireError.unexpectedMessageType(0)),
        ("08 05", .missingPayload),
        ("08 05 7a 00", .payloadMismatch(messageType: 5, payloadField: 15)),
        ("08 07 72 00", .payloadMismatch(messageType: 7, payloadField: 14)),
        ("08 06 72 00", .unexpectedMessageType(6)),
    ])
    func `a control reply whose payload is not what msg says is refused`(hex: String, error: WireError) {
        #expect(throws: error) { try LocalControlResponse(decoding: bytes(hex)) }
    }

    @Test(arguments: [
        ("", WireError.missingPayload),
        ("52 00", .missingPayload),
        ("52 03 aa 01 00", .payloadMismatch(messageType: 0, payloadField: 21)),
        ("52 05 08 01 a2 01 00", .payloadMismatch(messageType: 1, payloadField: 20)),
        ("52 05 08 02 a2 01 00", .unexpectedMessageType(2)),
        ("10 02 52 03 a2 01 00", .unsupportedSecurityScheme(2)),
    ])
    func `a session message that is not Security 0's is refused`(hex: String, error: WireError) {
        #expect(throws: error) { try SecurityZeroMessage(decoding: bytes(hex)) }
    }

    @Test(arguments: ["", "3a 00", "08 01"])
    func `an update request that asks nothing known is refused`(hex: String) {
        #expect(throws: WireError.missingPayload) { try UpdateRequest(decoding: bytes(hex)) }
    }
}
