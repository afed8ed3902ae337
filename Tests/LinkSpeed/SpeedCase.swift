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

    let board: Board
    let form: UploadForm
    /// Of 7.5 ms.
    let intervals: Int
    let maximumTransmissionUnit: Int
    let loss: Double

    static let all: [SpeedCase] = UploadForm.all.flatMap { form in
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

    /// What of the ceiling has to be reached.
    var bound: Double { form == .stream ? 0.95 : 0.98 }

    var description: String {
        let interval = intervals == 1 ? "7.5" : "\(intervals * 15 / 2)"
        return "\(form.rawValue) | \(board.rawValue), \(board.physicalLayer.rawValue) | \(interval) ms "
            + "| \(maximumTransmissionUnit) | \(loss == 0 ? "none" : "1 %")"
    }
}

extension UploadForm {
    fileprivate static let all: [UploadForm] = [.stream, .exchange]
}
