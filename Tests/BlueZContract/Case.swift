import Bluetooth
import DBus
import Glibc

/// One thing that the client counts on.
struct Case: Sendable {
    let name: String
    let isSlow: Bool
    let body: @Sendable (Bench) async throws -> Void

    init(_ name: String, slow: Bool = false, _ body: @escaping @Sendable (Bench) async throws -> Void) {
        self.name = name
        isSlow = slow
        self.body = body
    }

    static let all =
        links.map { $0.of("links") } + (values + errors).map { $0.of("values") } + streams.map { $0.of("streams") }
        + pairings.map { $0.of("pairing") }

    private func of(_ group: String) -> Case { Case("\(group): \(name)", slow: isSlow, body) }

    /// Seconds. Emulated machines are slow.
    private var limit: Duration { isSlow ? .seconds(180) : .seconds(60) }

    func passes() async -> Bool {
        let fault = await fault()
        print(fault == nil ? "pass" : "FAIL", name, fault ?? "", separator: "\t")
        fflush(nil)
        return fault == nil
    }

    /// Each case has a connection of its own to the bus, and begins with a peripheral that BlueZ never saw.
    private func fault() async -> String? {
        do {
            return try await within(limit) {
                let bench = try await Bench()
                try await bench.forget()
                try await body(bench)
                return nil
            }
        } catch {
            return String(describing: error).replacing("\n", with: " ")
        }
    }
}

/// What a case expected is not so.
struct Disagreement: Error, CustomStringConvertible {
    let description: String
}

struct TooLate: Error, CustomStringConvertible {
    let limit: Duration
    var description: String { "not done within \(limit)" }
}

func expect<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) throws(Disagreement) {
    guard found == wanted else { throw Disagreement(description: "\(what): \(found), expected \(wanted)") }
}

/// The error that `body` ends with; nil where it has none.
func failure<Value>(_ body: () async throws(BluetoothError) -> Value) async -> BluetoothError? {
    do throws(BluetoothError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

func within<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw TooLate(limit: limit)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw TooLate(limit: limit) }
        return value
    }
}

func exitProcess(_ status: Int32) -> Never { exit(status) }
