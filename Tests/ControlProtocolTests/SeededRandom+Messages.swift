import TestSupport

@testable import ControlProtocol

/// What generated messages are made of.
extension SeededRandom {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func bool() -> Bool { below(2) == 1 }

    /// Of any length on the wire, 0 among them.
    mutating func number() -> UInt32 { UInt32(truncatingIfNeeded: next() >> UInt64(32 + below(33))) }
    mutating func signedNumber() -> Int32 { bool() ? Int32(bitPattern: number()) : Int32(bitPattern: ~number()) }

    mutating func bytes() -> [UInt8] { array { UInt8($0.below(256)) } }

    mutating func text() -> String {
        let characters: [Character] = ["a", "-", "\0", "\"", "\\", "\n", "\u{E9}", "\u{1F431}", "7"]
        return String(array { characters[$0.below(characters.count)] })
    }

    mutating func array<T>(_ element: (inout SeededRandom) -> T) -> [T] {
        let count = bool() ? below(4) : below(20)
        return (0..<count).map { _ in element(&self) }
    }

    mutating func optional<T>(_ value: (inout SeededRandom) -> T) -> T? {
        bool() ? value(&self) : nil
    }

    /// A known case or an unknown number.
    mutating func enumeration<E: WireEnumeration>(_ type: E.Type = E.self) -> E {
        bool() ? E.known[below(E.known.count)] : E(number: number())
    }

    /// Never the number 0, which is no refusal.
    mutating func refusal<E: WireEnumeration>(_ type: E.Type = E.self) -> E {
        bool() ? E.known[below(E.known.count)] : E(number: max(1, number()))
    }
}
