import Bluetooth
import Testing

@testable import EarsCommandLine

@Suite struct EarsChoiceTests {
    @Test func `one bonded pair is chosen`() {
        let ears = Sighting.ears()
        #expect(EarsChoice.bonded([ears, .unpaired(.second)], named: nil, remembered: nil) == .chosen(ears))
    }

    @Test func `several are listed, not guessed among`() {
        let both = [Sighting.ears(), .ears(.second)]
        #expect(EarsChoice.bonded(both, named: nil, remembered: nil) == .several(both))
    }

    @Test func `those asked for last decide between several, unless others are named`() {
        let both = [Sighting.ears(), .ears(.second, name: "espurr-4466")]
        #expect(EarsChoice.bonded(both, named: nil, remembered: .second) == .chosen(both[1]))
        #expect(EarsChoice.bonded(both, named: EarsName("espurr-4455"), remembered: .second) == .chosen(both[0]))
    }

    @Test func `what is remembered and bonded no more decides nothing`() {
        let both = [Sighting.ears(name: "a"), .ears(.second)]
        let third = BluetoothAddress("C4:11:22:33:44:77")
        #expect(EarsChoice.bonded(both, named: nil, remembered: third) == .several(both))
    }

    @Test func `one bonded pair is chosen though another is remembered`() {
        #expect(EarsChoice.bonded([.ears()], named: nil, remembered: .second) == .chosen(.ears()))
    }

    @Test func `an address is read in either case, a name exactly`() {
        let ears = Sighting.ears()
        #expect(EarsChoice.bonded([ears], named: EarsName("c4:11:22:33:44:55"), remembered: nil) == .chosen(ears))
        #expect(EarsChoice.bonded([ears], named: EarsName("espurr-4455"), remembered: nil) == .chosen(ears))
        #expect(EarsChoice.bonded([ears], named: EarsName("Espurr-4455"), remembered: nil) == EarsChoice.none)
    }

    @Test func `a name that two bear is no identity`() {
        let both = [Sighting.ears(), .ears(.second)]
        #expect(EarsChoice.bonded(both, named: EarsName("espurr-4455"), remembered: .first) == .several(both))
    }

    @Test func `one pair on two adapters is one; the connected link wins`() {
        let both = [Sighting.ears(), .ears(on: .one, connected: true)]
        #expect(EarsChoice.bonded(both, named: nil, remembered: nil) == .chosen(both[1]))
    }

    @Test func `half a bond counts only where it is to be mended`() {
        let half = Sighting.ears(bonded: false)
        #expect(EarsChoice.bonded([half], named: nil, remembered: nil) == EarsChoice.none)
        #expect(EarsChoice.bonded([half], named: nil, remembered: nil, halfBonds: true) == .chosen(half))
    }
}
