import Glibc

/// A moment in whole seconds, as the metadata writes it: `2030-01-31T23:59:59Z` (specification 4.2.1: exactly this form).
public struct UTCTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let secondsSince1970: Int64

    public init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Reads the twenty characters; `nil` for any other form and for a day, hour, minute or second that does not exist
    /// (a leap second among them).
    public init?(_ text: String) {
        self.init(utf8: Array(text.utf8))
    }

    init?(utf8 text: [UInt8]) {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard text.count == form.count else { return nil }
        for (byte, expected) in zip(text, form) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            text[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        secondsSince1970 = ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    /// What this machine's clock says.
    public static func now() -> UTCTime {
        UTCTime(secondsSince1970: Int64(time(nil)))
    }

    public var description: String {
        var rest = secondsSince1970
        func take(_ unit: Int64) -> Int64 {
            let value = ((rest % unit) + unit) % unit
            rest = (rest - value) / unit
            return value
        }
        let (second, minute, hour) = (take(60), take(60), take(24))
        let date = Self.date(daysSince1970: rest)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
            + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))Z"
    }

    public static func < (left: UTCTime, right: UTCTime) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // The proleptic Gregorian calendar in years that begin in March, so that the leap day comes last.

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let days = daysSince1970 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
