import FirmwareUpdate
import Simulator

/// One row of the table: a link and a form of the upload.
struct SpeedCase: Hashable, Sendable, CustomStringConvertible {
    enum Board: String, CaseIterable, Hashable, Sendable {
        case esp32 = "ESP32"
        case s3 = "S3"

        var physicalLayer: PhysicalLayer { self == .esp32 ? .le1M : .le2M }
        /// Of the central in 7.5 ms, by what was published.
        var publishedPackets: Int { self == .esp32 ? 2 : 5 }
    }

    /// What the ears' side of the radio is like.
    enum Receiver: Hashable, Sendable {
        /// Flash that was erased before, and a buffer for all that there is credit for.
        case quick
        /// Each sector is erased when the first byte of it comes.
        case erasing
        /// The same, slower, with a buffer for a quarter of the credit: what comes beyond it is dropped.
        case dropping

        var writePath: WritePath {
            switch self {
            case .quick: WritePath()
            case .erasing: WritePath(erase: WritePath.Erase(block: 4096, time: .milliseconds(45)))
            case .dropping: WritePath(buffer: 4 << 10, erase: WritePath.Erase(block: 4096, time: .milliseconds(100)))
            }
        }
    }

    let board: Board
    let form: UploadForm
    /// Of 7.5 ms.
    let intervals: Int
    let maximumTransmissionUnit: Int
    let loss: Double
    var receiver = Receiver.quick

    /// Those that have to come near the ceiling, and those that have to come through.
    static let all = free + stalled

    private static let stalled: [SpeedCase] = [.erasing, .dropping].flatMap { receiver in
        Board.allCases.map { board in
            SpeedCase(
                board: board, form: .stream, intervals: 2, maximumTransmissionUnit: 247, loss: 0.01,
                receiver: receiver)
        }
    }

    private static let free: [SpeedCase] = UploadForm.all.flatMap { form in
        Board.allCases.flatMap { board in
            [1, 2, 4].flatMap { intervals in
                [185, 247, 517].flatMap { unit in
                    [0, 0.01].map { loss in
                        SpeedCase(
                            board: board, form: form, intervals: intervals, maximumTransmissionUnit: unit, loss: loss)
                    }
                }
            }
        }
    }

    var settings: LinkSettings {
        LinkSettings(
            interval: .microseconds(7500 * intervals), packetsPerEvent: board.publishedPackets * intervals,
            physicalLayer: board.physicalLayer, maximumTransmissionUnit: maximumTransmissionUnit, loss: loss)
    }

    /// Bytes a second.
    var ceiling: Double {
        let ceiling = LinkCeiling(settings)
        return form == .stream ? ceiling.stream : ceiling.exchange
    }

    /// What of the ceiling has to be reached. With stalls it is the flash that sets the pace.
    var bound: Double { receiver != .quick ? 0 : form == .stream ? 0.95 : 0.98 }

    /// Whether writes have to have been dropped, or must not.
    func expectsDropped(_ count: Int) -> Bool { receiver == .dropping ? count > 0 : count == 0 }

    var description: String {
        let interval = intervals == 1 ? "7.5" : "\(intervals * 15 / 2)"
        return "\(form.rawValue) | \(board.rawValue), \(board.physicalLayer.rawValue) | \(interval) ms "
            + "| \(maximumTransmissionUnit) | \(loss == 0 ? "none" : "1 %")\(receiver.note)"
    }
}

extension UploadForm {
    fileprivate static let all: [UploadForm] = [.stream, .exchange]
}

extension SpeedCase.Receiver {
    fileprivate var note: String {
        switch self {
        case .quick: ""
        case .erasing: ", stalls"
        case .dropping: ", stalls, drops"
        }
    }
}
