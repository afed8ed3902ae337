import ControlProtocol
import TestSupport
import Testing

@testable import Simulator

@Suite struct LinkTests {
    private static let stranger = "02:00:00:00:00:02"
    private static let count: [UInt8] = [0x52, 0x00]

    /// Ears that a stranger is connected to, not encrypted.
    private static func met(_ faults: [Fault] = []) -> TestLink {
        var link = TestLink(faults)
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: stranger, at: link.now)
        _ = link.ears.advance(to: link.now)
        return link
    }

    // MARK: Exchange

    @Test(
        arguments: [
            (EndpointName.session, [0x52, 0x03, 0xA2, 0x01, 0x00], [0x52, 0x05, 0x08, 0x01, 0xAA, 0x01, 0x00]),
            (.control, [0x52, 0x00], [0x08, 0x01, 0x5A, 0x02, 0x10, 69]),
            (.control, [0x08, 0x06, 0x72, 0x02, 0x0A, 0x00], [0x08, 0x07, 0x7A, 0x02, 0x08, 0x04]),
        ] as [(EndpointName, [UInt8], [UInt8])])
    func `bytes of Espressif's handler get its reply`(
        endpoint: EndpointName, request: [UInt8], reply: [UInt8]
    ) throws {
        var link = TestLink()
        #expect(try link.exchange(request, at: endpoint) == reply)
    }

    @Test func `the version document says protocol, mode, limits and what the properties hash to`() throws {
        var link = TestLink()
        let normal =
            #""espurr":{"protocol":2,"mode":"normal","#
            + #""limits":{"esp_local_ctrl/control":512,"espurr/update":512,"espurr/audio":512},"properties":""#
        let stock = #"{"local_ctrl":{"ver":"v1.0","sec_ver":0,"sec_patch_ver":0},"#
        let document = String(decoding: try link.exchange([1], at: .version), as: UTF8.self)
        #expect(document.hasPrefix(stock + normal))
        let rest = document.dropFirst((stock + normal).count)
        #expect(rest.hasSuffix(#""}}"#) && rest.dropLast(3).wholeMatch(of: /[0-9a-f]{32}/) != nil)
        var recovery = TestLink([.applicationProtocol(3)], mode: .recovery)
        let other = String(decoding: try recovery.exchange([1], at: .version), as: UTF8.self)
        #expect(other.contains(#""espurr":{"protocol":3,"mode":"recovery""#))
    }

    @Test func `old firmware has Security 2, no espurr object, and answers nothing else`() throws {
        var link = Self.met([.securityTwo])
        let version = String(decoding: try link.exchange([1], at: .version), as: UTF8.self)
        #expect(version == #"{"local_ctrl":{"ver":"v1.0","sec_ver":2,"sec_patch_ver":1}}"#)
        for endpoint in [EndpointName.session, .control, .update] {
            #expect(throws: GATTFailure.attribute(.handlerFailed)) { try link.exchange(Self.count, at: endpoint) }
        }
    }

    @Test func `an empty write is ignored: the old reply stays readable`() throws {
        var link = TestLink()
        let reply = try link.exchange(Self.count, at: .control)
        #expect(try link.exchange([], at: .control) == reply)
    }

    @Test func `each characteristic keeps its own reply, until the link ends`() throws {
        var link = TestLink()
        #expect(try link.ears.read(.control, at: link.now) == [])
        let reply = try link.exchange(Self.count, at: .control)
        _ = try link.exchange([1], at: .version)
        #expect(try link.ears.read(.control, at: link.now) == reply)
        link.ears.disconnect(at: link.now)
        link.connect()
        #expect(try link.ears.read(.control, at: link.now) == [])
    }

    @Test(arguments: [EndpointName.session, .control, .update])
    func `bytes that are no message fail the handler, and the link stays`(endpoint: EndpointName) throws {
        var link = TestLink()
        #expect(throws: GATTFailure.attribute(.handlerFailed)) { try link.exchange([0xFF, 0xFF], at: endpoint) }
        #expect(try link.exchange(Self.count, at: .control).count == 6)
    }

    @Test func `over 512 bytes neither a request nor a reply passes`() throws {
        var link = TestLink()
        let long = [UInt8](repeating: 0, count: 513)
        #expect(throws: GATTFailure.attribute(.invalidLength)) { try link.exchange(long, at: .control) }
        let all = LocalControlRequest.propertyValues(indices: Array(0..<69)).encoded()
        #expect(throws: GATTFailure.attribute(.invalidLength)) { try link.exchange(all, at: .control) }
        for index in UInt32(0)..<69 {
            let one = LocalControlRequest.propertyValues(indices: [index]).encoded()
            #expect(try link.exchange(one, at: .control).count <= 512)
        }
    }

    @Test(arguments: 0..<200)
    func `random bytes at any endpoint never trap`(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        var link = Self.template
        let valid: [[UInt8]] = [
            Self.count, UpdateRequest.status.encoded(), UpdateRequest.finish(session: 7).encoded(),
            LocalControlRequest.setPropertyValues([PropertyValue(index: 6, value: [1, 0, 0, 0])]).encoded(),
        ]
        for _ in 0..<20 {
            var request = valid[Int.random(in: 0..<valid.count, using: &generator)]
            request[Int.random(in: 0..<request.count, using: &generator)] = .random(in: 0...255, using: &generator)
            let endpoint = EndpointName.allCases.randomElement(using: &generator) ?? .update
            let reply = try? link.exchange(request, at: endpoint)
            #expect((reply?.count ?? 0) <= 512)
            link.wait(.milliseconds(Int.random(in: 0...500, using: &generator)))
        }
    }

    private static let template = TestLink()

    // MARK: GATT table

    @Test func `the table has each endpoint under its UUID, with its name`() {
        let table = GATTTable.ears
        #expect(table.serviceUUID == EarsService.uuid)
        #expect(table.characteristics.map(\.endpoint) == EndpointName.allCases)
        #expect(table.characteristics.map(\.uuid) == EndpointName.allCases.map(EarsService.characteristicUUID))
        #expect(table.characteristics.map(\.name.value) == EndpointName.allCases.map { Array($0.rawValue.utf8) })
        let handles = table.characteristics.flatMap { [$0.handle, $0.handle + 1, $0.name.handle] }
        #expect(Set(handles + [table.serviceHandle]).count == handles.count + 1)
    }

    // MARK: Security

    @Test func `without encryption access is refused, by the bond that the ears hold or do not`() throws {
        var link = Self.met()
        #expect(throws: GATTFailure.attribute(.insufficientAuthentication)) {
            try link.exchange(Self.count, at: .control)
        }
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: TestLink.peer, at: link.now)
        #expect(throws: GATTFailure.attribute(.insufficientEncryption)) {
            try link.exchange(Self.count, at: .control)
        }
    }

    @Test func `one link at a time, and no advertising meanwhile`() {
        var link = TestLink()
        #expect(link.ears.advertisement == nil)
        let second = link.ears.connect(from: Self.stranger, at: link.now)
        #expect(!second)
        link.ears.disconnect(at: link.now)
        #expect(link.ears.advertisement == Advertisement(name: "espurr-ABCD", serviceUUID: EarsService.uuid))
    }

    @Test(arguments: [Duration.zero, .seconds(30)])
    func `a click in the last thirty seconds allows a new bond`(age: Duration) throws {
        var link = Self.met()
        link.ears.clickButton(at: link.now)
        link.wait(age)
        link.ears.requestPairing(at: link.now)
        let effects = link.ears.advance(to: link.now)
        guard case .pairing(.comparison(let passkey)) = effects.last else {
            Issue.record("no comparison: \(effects)")
            return
        }
        #expect(passkey < 1_000_000)
        let digits = String(repeating: "0", count: 6 - String(passkey).count) + String(passkey)
        #expect(effects.first == .serialLine("passkey \(digits)"))
        link.ears.confirmPairing(true, at: link.now)
        guard case .pairing(.bonded(let key)) = link.ears.advance(to: link.now).first else {
            Issue.record("no bond")
            return
        }
        #expect(try link.exchange(Self.count, at: .control).count == 6)
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: Self.stranger, at: link.now)
        #expect(link.ears.encrypt(with: key, at: link.now) == true)
    }

    @Test func `an older click does not count: the ears wait for one, thirty seconds long`() {
        var link = Self.met()
        link.ears.clickButton(at: link.now)
        link.wait(.milliseconds(30_001))
        link.ears.requestPairing(at: link.now)
        #expect(link.ears.advance(to: link.now) == [.pairing(.clickNeeded)])
        link.effects = []
        link.wait(.milliseconds(29_999))
        #expect(link.effects == [])
        link.wait(.milliseconds(1))
        #expect(link.effects == [.pairing(.failed(.notPermitted))])
    }

    @Test func `a click while the ears wait starts the comparison, and allows one bond`() {
        var link = Self.met()
        link.ears.requestPairing(at: link.now)
        link.ears.clickButton(at: link.now)
        #expect(link.ears.advance(to: link.now).count == 3)
        link.ears.confirmPairing(true, at: link.now)
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: "02:00:00:00:00:03", at: link.now)
        _ = link.ears.advance(to: link.now)
        link.ears.requestPairing(at: link.now)
        #expect(link.ears.advance(to: link.now) == [.pairing(.clickNeeded)])
    }

    @Test func `a peer that says the digits differ gets no bond`() {
        var link = Self.met()
        link.ears.clickButton(at: link.now)
        link.ears.requestPairing(at: link.now)
        _ = link.ears.advance(to: link.now)
        link.ears.confirmPairing(false, at: link.now)
        #expect(link.ears.advance(to: link.now) == [.pairing(.failed(.rejectedByPeer))])
        #expect(link.ears.memory.bonds.key(of: Self.stranger) == nil)
    }

    @Test func `a peer that forgot its bond pairs again with a click, and the old key is worth nothing`() {
        var link = Self.met()
        let old = link.ears.provisionBond(with: Self.stranger)
        link.ears.clickButton(at: link.now)
        link.ears.requestPairing(at: link.now)
        _ = link.ears.advance(to: link.now)
        link.ears.confirmPairing(true, at: link.now)
        #expect(link.ears.memory.bonds.all.filter { $0.peer == Self.stranger }.count == 1)
        link.ears.disconnect(at: link.now)
        _ = link.ears.connect(from: Self.stranger, at: link.now)
        let isTaken = link.ears.encrypt(with: old, at: link.now)
        #expect(!isTaken)
    }

    @Test func `ears that keep their bonds give no answer to a pairing request of a peer that they know`() {
        var link = Self.met([.keepsBond])
        _ = link.ears.provisionBond(with: Self.stranger)
        link.ears.clickButton(at: link.now)
        link.ears.requestPairing(at: link.now)
        link.wait(.seconds(60))
        let answers = link.effects.filter { if case .pairing = $0 { true } else { false } }
        #expect(answers == [])
    }

    @Test func `ears that forgot the bond end a link that is encrypted with it`() {
        var link = TestLink()
        let key = link.ears.memory.bonds.key(of: TestLink.peer) ?? BondKey(bytes: [])
        link.ears.disconnect(at: link.now)
        link.ears.memory.bonds.removeAll()
        _ = link.ears.connect(from: TestLink.peer, at: link.now)
        _ = link.ears.advance(to: link.now)
        #expect(link.ears.encrypt(with: key, at: link.now) == false)
        #expect(link.ears.advance(to: link.now).contains(.linkDropped))
    }

    @Test func `three bonds are kept, the oldest makes room`() {
        var link = TestLink()
        let peers = (2...4).map { "02:00:00:00:00:0\($0)" }
        for peer in peers { _ = link.ears.provisionBond(with: peer) }
        #expect(link.ears.memory.bonds.all.map(\.peer) == peers)
        _ = link.ears.provisionBond(with: peers[0])
        #expect(link.ears.memory.bonds.all.map(\.peer) == [peers[1], peers[2], peers[0]])
    }
}
