import ControlProtocol
import TestSupport
import Testing

@testable import FirmwareUpdate

private func credit(_ next: UInt32, _ end: UInt32, _ refusal: UpdateRefusal? = nil) -> StreamCredit {
    StreamCredit(session: 1, state: .receiving, nextOffset: next, creditEnd: end, refusal: refusal)
}

@Suite struct `What of a file may be streamed` {
    private var window = StreamWindow(size: 100)

    @Test func `nothing before the first credit, and never more than there is credit for`() {
        var window = window
        #expect(window.next == nil)
        let taken1 = window.take(credit(0, 40))
        #expect(taken1)
        #expect(window.next?.offset == 0 && window.next?.most == 40)
        window.send(30)
        #expect(window.next?.offset == 30 && window.next?.most == 10)
        window.send(10)
        #expect(window.next == nil && window.arrived == 0)
    }

    @Test func `a lost, a repeated and a late credit do no harm`() {
        var window = window
        let taken2 = window.take(credit(0, 40))
        #expect(taken2)
        window.send(40)
        // The one for 20 was lost.
        let taken3 = window.take(credit(40, 80))
        #expect(taken3)
        let taken4 = window.take(credit(40, 80))
        #expect(taken4)
        let taken5 = window.take(credit(20, 60))
        #expect(taken5)
        #expect(window.arrived == 40)
        #expect(window.next?.offset == 40 && window.next?.most == 40)
    }

    @Test func `a gap is sent again from where it began`() {
        var window = window
        let taken6 = window.take(credit(0, 40))
        #expect(taken6)
        window.send(40)
        let taken7 = window.take(credit(10, 40, .wrongOffset))
        #expect(taken7)
        #expect(window.next?.offset == 10 && window.next?.most == 30)
    }

    @Test func `a gap that was mended meanwhile is not sent again`() {
        var window = window
        let taken8 = window.take(credit(0, 40))
        #expect(taken8)
        window.send(40)
        let taken9 = window.take(credit(40, 80))
        #expect(taken9)
        let taken10 = window.take(credit(10, 40, .wrongOffset))
        #expect(taken10)
        #expect(window.next?.offset == 40)
    }

    @Test func `a status says where to go on`() {
        var window = window
        let taken11 = window.take(credit(0, 40))
        #expect(taken11)
        window.send(40)
        let goesOn = window.settle(at: 25)
        #expect(goesOn && window.arrived == 25 && window.next?.offset == 25)
        let goesBack = window.settle(at: 24)
        let goesBeyond = window.settle(at: 101)
        #expect(!goesBack && !goesBeyond)
    }

    @Test func `a chunk that the credit cuts short waits while more credit is bound to come`() {
        var window = window
        let taken15 = window.take(credit(0, 50))
        #expect(taken15)
        #expect(window.length(longest: 20) == 20)
        window.send(20)
        window.send(20)
        #expect(window.length(longest: 20) == nil)
        let taken16 = window.take(credit(20, 70))
        #expect(taken16)
        #expect(window.length(longest: 20) == 20)
    }

    @Test func `a chunk that the credit cuts short is sent where nothing else is on its way`() {
        var window = window
        let taken17 = window.take(credit(0, 50))
        #expect(taken17)
        window.send(40)
        let taken18 = window.take(credit(40, 50))
        #expect(taken18)
        #expect(window.length(longest: 20) == 10)
    }

    @Test func `a chunk that the credit cuts short is sent to ears that never give credit for two whole ones`() {
        var window = window
        let taken19 = window.take(credit(0, 30))
        #expect(taken19)
        window.send(20)
        #expect(window.length(longest: 20) == 10)
    }

    @Test func `the last chunk of the file is as short as it is`() {
        var window = window
        let taken20 = window.take(credit(50, 100))
        #expect(!taken20)
        let goesOn = window.settle(at: 50)
        let taken21 = window.take(credit(50, 100))
        #expect(goesOn && taken21)
        window.send(40)
        #expect(window.length(longest: 20) == 10)
    }

    @Test func `what cannot be is refused`() {
        var window = window
        let taken12 = window.take(credit(0, 40))
        #expect(taken12)
        let taken13 = window.take(credit(0, 101))
        #expect(!taken13)
        let taken14 = window.take(credit(41, 80))
        #expect(!taken14)
    }

    @Test(arguments: 0..<200)
    func `under any loss, repeat and reordering all bytes arrive, and none is sent without credit`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var window = StreamWindow(size: 1000)
        var ears = (next: 0, credit: 0)
        var pending: [StreamCredit] = []
        var rounds = 0
        while !window.isDone, rounds < 10_000 {
            rounds += 1
            while let (offset, most) = window.next {
                let length = min(most, 64)
                #expect(offset + length <= ears.credit)
                window.send(length)
                guard Int.random(in: 0..<8, using: &random) != 0 else { continue }
                if offset <= ears.next { ears.next = max(ears.next, offset + length) }
            }
            ears.credit = max(ears.credit, min(1000, ears.next + 256))
            pending.append(
                credit(UInt32(ears.next), UInt32(ears.credit), Bool.random(using: &random) ? .wrongOffset : nil))
            if Int.random(in: 0..<3, using: &random) == 0 {
                pending.append(pending[Int.random(in: 0..<pending.count, using: &random)])
            }
            if Int.random(in: 0..<2, using: &random) == 0, !pending.isEmpty {
                pending.remove(at: Int.random(in: 0..<pending.count, using: &random))
            }
            if pending.isEmpty {
                let settles = window.settle(at: ears.next)
                #expect(settles)
            } else {
                let taken = window.take(pending.remove(at: Int.random(in: 0..<pending.count, using: &random)))
                #expect(taken)
            }
        }
        #expect(window.arrived == 1000)
    }
}
