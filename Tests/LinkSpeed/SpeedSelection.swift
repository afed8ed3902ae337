import EarsInVirtualTime
import Firmware

/// Which of the cases are run, and with what.
struct SpeedSelection {
    /// Bytes of the image, but for the rounding.
    private var size = 1_400_000
    private(set) var printsCeilings = false
    /// Of what is lost on the air.
    private(set) var seed: UInt64 = 1
    private var every = 1
    private var text: String?

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let option = rest.popFirst() {
            guard option != "--ceilings" else {
                printsCeilings = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--size": guard let number = Int(value), number >= 1024 else { return nil }; size = number
            case "--every": guard let number = Int(value), number > 0 else { return nil }; every = number
            case "--case": text = value
            case "--seed": guard let number = UInt64(value) else { return nil }; seed = number
            default: return nil
            }
        }
    }

    var cases: [(SpeedCase, SoundImage)] {
        let images = [
            SpeedCase.Board.esp32: BuiltImage(family: .esp32, version: "1.5.0", length: size - 432).image,
            .s3: BuiltImage(family: .v2Flash16MB, version: "1.5.0", length: size - 432).image,
        ]
        return SpeedCase.all.enumerated()
            .filter { $0.offset % every == 0 && (text.map("\($0.element)".contains) ?? true) }
            .compactMap { _, speedCase in images[speedCase.board].map { (speedCase, $0) } }
    }
}
