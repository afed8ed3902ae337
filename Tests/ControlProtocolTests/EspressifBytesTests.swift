import ControlProtocol
import Testing

/// Bytes that Espressif's own handler code took and gave (ESP-IDF release/v6.1, run on a host).
@Suite struct `Bytes seen from Espressif's handler` {
    @Test(arguments: [
        (LocalControlRequest.propertyCount, "52 00"),
        (.propertyValues(indices: [1]), "08 04 62 03 0a 01 01"),
    ])
    func `a request is what the handler took`(request: LocalControlRequest, hex: String) throws {
        #expect(request.encoded() == bytes(hex))
        #expect(try LocalControlRequest(decoding: bytes(hex)) == request)
    }

    @Test(arguments: [
        (LocalControlResponse.propertyCount(status: .success, count: 4), "08 01 5a 02 10 04"),
        (.setPropertyValues(status: .success), "08 07 7a 00"),
        (.setPropertyValues(status: .invalidArgument), "08 07 7a 02 08 04"),
    ])
    func `a reply is what the handler gave`(response: LocalControlResponse, hex: String) throws {
        #expect(response.encoded() == bytes(hex))
        #expect(try LocalControlResponse(decoding: bytes(hex)) == response)
    }

    @Test(arguments: [
        (SecurityZeroMessage.command, "52 03 a2 01 00"),
        (.response(status: .success), "52 05 08 01 aa 01 00"),
    ])
    func `the Security 0 hello and its answer are the handler's`(message: SecurityZeroMessage, hex: String) throws {
        #expect(message.encoded() == bytes(hex))
        #expect(try SecurityZeroMessage(decoding: bytes(hex)) == message)
    }
}
