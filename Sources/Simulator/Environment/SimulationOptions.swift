/// What a run starts with.
public struct SimulationOptions: Sendable {
    public static let earsLimit = 16
    public static let adaptersLimit = 4

    public var family: BoardFamily = .v2With8MB
    public var startsInRecovery = false
    /// 1 to ``earsLimit``.
    public var ears = 1
    /// 1 to ``adaptersLimit``. The first pair's bond is with the first one, the second's with the second, and so on round.
    public var adapters = 1
    /// False: neither side knows a bond.
    public var isPaired = true
    /// Somebody clicks the button of the headset as soon as a pairing needs it.
    public var clicksWhenNeeded = true
    public var faults = FaultSelection()
    /// Keeps flash, bonds, settings and this side's XDG folders. Nil: everything is fresh, and gone at the end.
    public var stateFolder: String?
    /// Where the flash of the ears is written at the end; of further ears with `.2` and so on after it.
    public var flashDump: String?
    public var timing = DaemonTiming.brisk
    /// Of the ears' random numbers.
    public var seed: UInt64

    public init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

    func earsConfiguration(_ number: Int) -> EarsConfiguration {
        EarsConfiguration(
            family: family, address: "02:E5:50:5C:1A:" + twoDigits(number + 1),
            mode: startsInRecovery ? .recovery : .normal, faults: faults.faults(ofPair: number + 1),
            seed: seed &+ UInt64(number))
    }

    var adapterAddresses: [String] { (0..<adapters).map { "02:5A:11:00:00:" + twoDigits($0 + 1) } }

    private func twoDigits(_ number: Int) -> String {
        (number < 16 ? "0" : "") + String(number, radix: 16, uppercase: true)
    }
}
