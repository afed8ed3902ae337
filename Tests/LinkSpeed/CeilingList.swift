import FirmwareUpdate
import Simulator

/// Ceilings as lines of tab-separated columns, for `ceiling.py`.
enum CeilingList {
    static func print() {
        for settings in list {
            let ceiling = LinkCeiling(settings)
            let columns: [Any] = [
                settings.physicalLayer.rawValue, Int(settings.interval / .microseconds(1)),
                settings.packetsPerEvent.map { "\($0)" } ?? "-", settings.dataLength,
                settings.maximumTransmissionUnit, settings.isEncrypted ? 1 : 0, settings.loss, ceiling.stream,
                ceiling.exchange,
            ]
            Swift.print(columns.map { "\($0)" }.joined(separator: "\t"))
        }
    }

    /// Those of the table, and for the shortest interval others that differ from them in one thing.
    private static var list: [LinkSettings] {
        SpeedCase.all.filter { $0.form == .stream && $0.receiver == .quick }.flatMap { speedCase in
            let settings = speedCase.settings
            guard speedCase.intervals == 1 else { return [settings] }
            var others = [LinkSettings](repeating: settings, count: 5)
            others[1].packetsPerEvent = nil
            others[2].dataLength = 27
            others[3].isEncrypted = false
            others[4].maximumTransmissionUnit = 23
            return others
        }
    }
}
