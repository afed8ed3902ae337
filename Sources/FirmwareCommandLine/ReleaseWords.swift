public import Catalogue
public import CommandLineTools
public import FirmwareUpdate

extension Release {
    public var json: JSON {
        .object([
            ("version", .string(version.description)), ("family", .string(family)), ("chip", .string(chip)),
            ("channel", .string(channel.rawValue)), ("application_protocol", .integer(Int64(applicationProtocol))),
            ("released", .string(released.description)), ("notes", .string(notes)),
            ("path", .string(target.path.string)), ("length", .integer(Int64(target.length))),
            ("sha256", .optional(target.sha256)),
        ])
    }

    /// `s3`, `1.5.0`, `stable`, `1036 KiB`, `2026-03-01`, the first line of its notes.
    fileprivate var cells: [String] {
        let day = String(released.description.prefix(10))
        let firstLine = notes.split(separator: "\n").first.map(String.init) ?? ""
        return [family, version.description, channel.rawValue, kibibytes(target.length), day, firstLine.printable]
    }
}

extension [Release] {
    /// Each a line, in columns.
    ///
    /// - Parameter width: of a terminal, beyond which notes are cut; nil: they are whole.
    public func lines(within width: Int?) -> [String] { map(\.cells).aligned(within: width) }
}

extension Offer {
    /// What is offered and why, or why nothing is.
    public var members: [(String, JSON)] {
        switch self {
        case .offered(let release, let reason):
            [("offer", release.json), ("reason", .string(reason.code))]
        case .upToDate(_, let newest):
            [("offer", .null), ("reason", .string("up_to_date")), ("newest", .string(newest.version.description))]
        case .refused(let refusal): [("offer", .null), ("reason", .string(refusal.code))]
        }
    }

    public var line: String {
        switch self {
        case .offered(let release, let reason):
            "offered  \(release.version) (\(release.channel.rawValue)): \(reason.inWords)"
        case .upToDate(let running, let newest): "up to date: \(running) runs, the newest is \(newest.version)"
        case .refused(let refusal): "nothing offered: \(refusal.inWords)"
        }
    }
}

extension CatalogueContents {
    /// What a person is told of a catalogue that is not fresh.
    public var staleness: String? {
        staleSince.map { "offline: the catalogue has been expired since \($0); newer releases may exist" }
    }

    public var members: [(String, JSON)] {
        [
            (
                "catalogue",
                .object([
                    ("checked", .string(checked.description)), ("stale_since", .optional(staleSince?.description)),
                    ("targets_version", .integer(targets.version)),
                ])
            )
        ]
    }
}

extension ReleaseContradiction {
    public var json: JSON {
        .object([
            ("path", .string(path.string)), ("field", .string(field)), ("path_value", .string(pathValue)),
            ("custom_value", .string(customValue)),
        ])
    }
}

/// A target that is in no list of releases, and why. One that contradicts itself is told as that.
public struct LeftOutTarget: Hashable, Sendable {
    let path: String
    let reason: ReleaseFault

    /// `v2-8m/1.5.0/espurr.bin: it has no description`
    public var inWords: String { "\(path.printable): \(reason.inWords)" }

    /// `field`: the one of `bad_field`, else null.
    public var json: JSON {
        var field: String?
        if case .badField(let name) = reason { field = name }
        return .object([
            ("path", .string(path)), ("reason", .string(reason.code)), ("field", .optional(field)),
        ])
    }
}

extension ReleaseListing {
    /// Of every family: which one is meant may be what is wrong.
    public var leftOut: [LeftOutTarget] {
        otherTargets.compactMap { target, reason in
            if case .pathDisagrees = reason { return nil }
            return LeftOutTarget(path: target.path.string, reason: reason)
        }
    }
}

extension [LeftOutTarget] {
    /// How many; nil where there are none.
    public var inWords: String? {
        isEmpty ? nil : "\(count) target\(count == 1 ? "" : "s") left out; -v says which, and why"
    }
}

extension ReleaseFault {
    fileprivate var code: String {
        switch self {
        case .otherPath: "other_path"
        case .noCustom: "no_description"
        case .unknownSchema: "unknown_schema"
        case .badField: "bad_field"
        case .pathDisagrees: "contradiction"
        }
    }

    /// Why a target is no release.
    fileprivate var inWords: String {
        switch self {
        case .otherPath: "it is not <family>/<version>/<file>.bin"
        case .noCustom: "it has no description"
        case .unknownSchema(let number): "its description follows schema \(number), which is not known here"
        case .badField(let name): "“\(name.printable)” is missing from its description, or malformed"
        case .pathDisagrees(let field, let path, let custom):
            "its \(field) is “\(path.printable)” by its path, “\(custom.printable)” by its description"
        }
    }
}
