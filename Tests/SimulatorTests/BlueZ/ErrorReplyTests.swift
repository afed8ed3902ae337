import DBus
import Testing

@testable import Simulator

@Suite struct ErrorReplyTests {
    @Test(arguments: [
        (UInt8(0x02), "NotPermitted", "Read not permitted"), (0x03, "NotPermitted", "Write not permitted"),
        (0x05, "NotPermitted", "Not paired"), (0x0F, "NotPermitted", "Not paired"),
        (0x06, "NotSupported", "Operation is not supported"), (0x07, "InvalidArguments", "Invalid offset"),
        (0x08, "NotAuthorized", "Operation Not Authorized"), (0x0D, "InvalidArguments", "Invalid Length"),
        (0x04, "Failed", "Operation failed with ATT error: 0x04"),
        (0x0E, "Failed", "Operation failed with ATT error: 0x0e"),
        (0x80, "Failed", "Operation failed with ATT error: 0x80"),
    ])
    func `an ATT error has BlueZ's name and text`(code: UInt8, name: String, message: String) {
        #expect(ErrorReply.attribute(code: code).answer == .failure(name, message))
    }
}
