import TestSupport
import Testing

@testable import DBus

@Suite struct RecentCallsTests {
    private static let options: [[DBusValue]] = [
        [], [.properties([:])], [.properties(["type": .string("request")])],
        [.bytes([1, 2, 3]), .properties(["type": .string("request")])], [.bytes([3, 2]), .properties([:])],
        [.array(element: "s", [])], [.array(element: "u", [])], [.double(0)], [.double(-0.0)], [.string("a")],
    ]

    @Test func `a call made from a recent one is to the byte what it is when made anew`() throws {
        var random = SeededRandom(seed: 1)
        var recent = RecentCalls()
        for _ in 0..<2000 {
            let call = MethodCall(
                ["Read", "Write"].randomElement(using: &random)!, of: ["a.b", "a.c"].randomElement(using: &random)!,
                at: ["/a", "/b"].randomElement(using: &random)!, to: ["c.d", "c.e"].randomElement(using: &random)!,
                Self.options.randomElement(using: &random)!, startsService: Bool.random(using: &random))
            #expect(try Wire.bytes(recent.message(of: call)) == Wire.bytes(RawMessage.call(call)))
        }
    }

    @Test func `arguments that cannot be sent are refused whatever was sent before them`() throws {
        var recent = RecentCalls()
        for good in Self.options {
            var call = MethodCall("Do", of: "a.b", at: "/", to: "a.b", good)
            _ = try recent.message(of: call)
            for bad: [DBusValue] in [
                [.string("\0")], [.objectPath("no path")], [.array(element: "", [])], [.structure([])],
                [.bytes([]), .properties(["type": .string("\0")])],
            ] {
                call.arguments = bad
                do throws(DBusError) {
                    _ = try recent.message(of: call)
                    Issue.record("was made: \(bad) after \(good)")
                } catch .invalidMessage {
                } catch { Issue.record(error) }
            }
        }
    }
}
