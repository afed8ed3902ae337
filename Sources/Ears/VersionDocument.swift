public import ControlProtocol
internal import FoundationEssentials

public enum EarsMode: String, Hashable, Sendable {
    case normal
    /// Ears that only update.
    case recovery
}

/// Why a reply is no version document.
public enum VersionDocumentFault: Error, Equatable, Sendable {
    /// More than ``EarsLimits/attributeBytes``.
    case tooLong(bytes: Int)
    /// Not JSON, or a member that is missing or of another type or range.
    case malformed
}

/// What the version endpoint answers: Espressif's JSON with the ears' own `espurr` object (`Protocol/wire.md`).
/// Members that are not known here are ignored.
public struct VersionDocument: Equatable, Sendable {
    /// `ver` of Espressif's object: "v1.0".
    public var localControlVersion: String
    public var mode: EarsMode
    /// Bytes of the largest request, for each endpoint that states it.
    public var requestLimits: [EndpointName: Int]
    /// Of the properties that these ears have in this mode; nil where they state none, or nothing that is one.
    public var propertyTable: PropertyTableHash?

    /// - Throws: a document that is not application protocol 2 over Security 0.
    public init(parsing bytes: [UInt8]) throws(UnsupportedEars) {
        guard bytes.count <= EarsLimits.attributeBytes else {
            throw .versionDocument(.tooLong(bytes: bytes.count))
        }
        // One step after the other: of another security or protocol nothing more is presumed.
        let outer = try Self.decode(Outer.self, bytes)
        guard outer.local_ctrl.sec_ver == 0 else { throw .securityVersion(outer.local_ctrl.sec_ver) }
        guard let number = try Self.decode(Numbered.self, bytes).espurr?.protocol else { throw .noApplicationProtocol }
        guard number == Int64(EarsService.applicationProtocol) else { throw .applicationProtocol(number) }
        let application = try Self.decode(Whole.self, bytes).espurr
        guard let mode = EarsMode(rawValue: application.mode) else { throw .mode(application.mode) }
        localControlVersion = outer.local_ctrl.ver
        self.mode = mode
        requestLimits = application.limits?.bytes ?? [:]
        propertyTable = application.properties.flatMap { PropertyTableHash($0) }
    }

    private static func decode<Part: Decodable>(
        _ part: Part.Type, _ bytes: [UInt8]
    ) throws(UnsupportedEars) -> Part {
        do { return try JSONDecoder().decode(part, from: Data(bytes)) } catch { throw .versionDocument(.malformed) }
    }

    /// Bytes of the largest request to an endpoint; where the ears state none, what the smaller of the two stacks
    /// of ESP-IDF takes for sure.
    public func requestLimit(of endpoint: EndpointName) -> Int {
        requestLimits[endpoint] ?? Self.unstatedRequestLimit
    }

    static let unstatedRequestLimit = 257
}

private struct Outer: Decodable {
    struct LocalControl: Decodable {
        let ver: String
        let sec_ver: Int64
    }
    let local_ctrl: LocalControl
}

private struct Numbered: Decodable {
    struct Application: Decodable { let `protocol`: Int64 }
    let espurr: Application?
}

private struct Whole: Decodable {
    struct Application: Decodable {
        let mode: String
        let limits: Limits?
        let properties: String?
    }
    let espurr: Application
}

/// The limits of the endpoints that are known here; others may hold whatever they like.
private struct Limits: Decodable {
    let bytes: [EndpointName: Int]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var bytes: [EndpointName: Int] = [:]
        for endpoint in EndpointName.allCases {
            let name = Name(stringValue: endpoint.rawValue)
            guard let stated = try container.decodeIfPresent(Int.self, forKey: name) else { continue }
            guard (1...EarsLimits.attributeBytes).contains(stated) else {
                throw DecodingError.dataCorruptedError(forKey: name, in: container, debugDescription: "no size")
            }
            bytes[endpoint] = stated
        }
        self.bytes = bytes
    }
}
