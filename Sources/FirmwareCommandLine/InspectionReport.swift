public import CommandLineTools
public import Firmware

/// Everything about a file that may be an image, for people and scripts.
public struct InspectionReport: Sendable {
    private let inspection: ImageInspection
    private let path: String
    /// Nil where no release has these bytes, or none is known.
    private let listed: CataloguedFile?

    public init(_ inspection: ImageInspection, of path: String, listed: CataloguedFile? = nil) {
        self.inspection = inspection
        self.path = path
        self.listed = listed
    }

    /// The refusal, where it is none of our sound images.
    public var refusal: ImageRefusal? {
        guard case .failure(let refusal) = inspection.verdict else { return nil }
        return refusal
    }

    /// By its number where Espressif's name for it is not known here.
    private var chipName: String? { inspection.chipName ?? inspection.chip.map { "id \($0.id)" } }

    /// `v2-8m`, or why none.
    private var familyInWords: String {
        switch inspection.verdict {
        case .failure: "none: not a sound image"
        case .success(let image):
            switch image.family {
            case .family(let family): family.name
            case .notEspurr(let project): "none: not an espurr image (\(project.printable))"
            }
        }
    }

    public var rows: [(String, String)] {
        var rows = [("file", path.printable), ("size", "\(inspection.size) bytes"), ("kind", inspection.kind.inWords)]
        rows.append(("chip", chipName ?? "-"))
        if let descriptor = inspection.descriptor {
            rows += [
                ("project", descriptor.projectName?.printable ?? "(unreadable)"),
                ("version", descriptor.version?.printable ?? "(unreadable)"),
                (
                    "built",
                    [descriptor.compileDate, descriptor.compileTime].compactMap { $0?.printable }.joined(separator: " ")
                ),
                ("ESP-IDF", descriptor.idfVersion?.printable ?? "(unreadable)"),
            ]
        }
        for (index, segment) in inspection.segments.enumerated() {
            rows.append(
                (
                    "segment \(index)",
                    "\(segment.length) bytes at \(hex(segment.offset)) to \(hex(segment.loadAddress)), \(segment.placement.name)"
                ))
        }
        if let checksum = inspection.checksum {
            rows.append(("checksum", hex(checksum.stored) + (checksum.matches ? ", right" : ", wrong")))
        }
        if let hash = inspection.hash {
            rows.append(("appended hash", hexadecimal(hash.stored) + (hash.matches ? ", right" : ", wrong")))
        } else if inspection.header != nil {
            rows.append(("appended hash", "none"))
        }
        if let tail = inspection.tail { rows.append(("behind it", tail.inWords)) }
        rows += [("SHA-256", hexadecimal(inspection.sha256)), ("family", familyInWords)]
        if let listed { rows.append(("catalogue", "lists it as \(listed.inWords)")) }
        rows.append(("verdict", refusal.map { "refused: \($0.inWords)" } ?? "sound"))
        return rows
    }

    public var members: [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("file", .string(path)), ("size", .integer(Int64(inspection.size))),
            ("sha256", .string(hexadecimal(inspection.sha256))), ("kind", .string(inspection.kind.code)),
            ("chip", .optional(chipName)),
            ("segments", .array(inspection.segments.map(\.json))), ("checksum", checksumJSON), ("hash", hashJSON),
            ("descriptor", inspection.descriptor?.json ?? .null), ("tail", .optional(inspection.tail?.inWords)),
        ]
        if case .success(let image) = inspection.verdict {
            if case .family(let family) = image.family {
                members.append(("family", .string(family.name)))
            } else {
                members.append(("family", .null))
            }
        } else {
            members.append(("family", .null))
        }
        members.append(("listed", listed?.json ?? .null))
        members.append(("verdict", .string(refusal == nil ? "sound" : "refused")))
        if let refusal {
            members += [("code", .string(refusal.code)), ("reason", .string(refusal.inWords))]
        }
        return members
    }

    private var checksumJSON: JSON {
        guard let checksum = inspection.checksum else { return .null }
        return .object([
            ("stored", .integer(Int64(checksum.stored))), ("computed", .integer(Int64(checksum.computed))),
            ("matches", .boolean(checksum.matches)),
        ])
    }

    private var hashJSON: JSON {
        guard let hash = inspection.hash else { return .null }
        return .object([
            ("stored", .string(hexadecimal(hash.stored))), ("computed", .string(hexadecimal(hash.computed))),
            ("matches", .boolean(hash.matches)),
        ])
    }
}

extension ImageSegment {
    fileprivate var json: JSON {
        .object([
            ("offset", .integer(Int64(offset))), ("length", .integer(Int64(length))),
            ("load_address", .integer(Int64(loadAddress))), ("placement", .string(placement.name)),
        ])
    }
}

extension ImageSegment.Placement {
    fileprivate var name: String {
        switch self {
        case .padding: "padding"
        case .mapped: "mapped"
        case .loaded: "loaded"
        case .nowhere: "nowhere"
        case .unmapped: "unmapped"
        }
    }
}

extension ApplicationDescriptor {
    fileprivate var json: JSON {
        .object([
            ("project", .optional(projectName)), ("version", .optional(version)),
            ("idf_version", .optional(idfVersion)),
            ("compile_date", .optional(compileDate)), ("compile_time", .optional(compileTime)),
            ("secure_version", .integer(Int64(secureVersion))), ("elf_sha256", .string(hexadecimal(elfSHA256))),
        ])
    }
}

extension ImageTail {
    fileprivate var inWords: String {
        switch self {
        case .nothing: "nothing"
        case .erased(let length): "\(length) bytes of erased flash"
        case .signatureTrailer: "a Secure Boot v1 trailer (not verified)"
        case .signatureSector(let sector):
            "a Secure Boot v2 signature sector, \(sector.blockCount) block(s) (not verified)"
        case .damagedSignatureSector: "a damaged Secure Boot v2 signature sector"
        case .foreign(let offset, let byte): "something foreign (\(hex(byte)) at \(offset))"
        }
    }
}
