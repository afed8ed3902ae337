import ControlProtocol
import Testing

@Suite struct `A simple property's value` {
    @Test(arguments: [
        (PropertyScalar.int32(40), "28 00 00 00"), (.int32(-2), "fe ff ff ff"), (.int32(.min), "00 00 00 80"),
        (.timestamp(0x0102_0304_0506_0708), "08 07 06 05 04 03 02 01"), (.timestamp(-1), "ff ff ff ff ff ff ff ff"),
        (.boolean(false), "00"), (.boolean(true), "01"), (.string(""), ""), (.string("\u{E9}"), "c3 a9"),
        (.string("a\0b"), "61 00 62"),
    ])
    func `is laid out as in Espressif's example`(value: PropertyScalar, hex: String) throws {
        #expect(value.encoded() == bytes(hex))
        #expect(try PropertyScalar(decoding: bytes(hex), as: value.type) == value)
    }

    @Test(arguments: [(PropertyType.int32, 4), (.timestamp, 8), (.boolean, 1)])
    func `of another size is refused`(type: PropertyType, size: Int) {
        for found in 0...9 where found != size {
            #expect(throws: PropertyScalarError.wrongSize(expected: size, found: found)) {
                try PropertyScalar(decoding: [UInt8](repeating: 0, count: found), as: type)
            }
        }
    }

    @Test func `that is neither 0 nor 1 is no boolean`() {
        for byte in UInt8(2)...255 {
            #expect(throws: PropertyScalarError.notABoolean(byte)) {
                try PropertyScalar(decoding: [byte], as: .boolean)
            }
        }
    }

    @Test func `that is not UTF-8 is no text`() {
        #expect(throws: PropertyScalarError.invalidUTF8) { try PropertyScalar(decoding: [0xFF], as: .string) }
    }

    @Test(arguments: [PropertyType.message, PropertyType(rawValue: 4)])
    func `of another type is not read`(type: PropertyType) {
        #expect(throws: PropertyScalarError.notAScalar(type)) { try PropertyScalar(decoding: [], as: type) }
    }
}
