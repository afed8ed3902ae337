public import ControlProtocol

public enum EarsMode: String, Hashable, Sendable {
    case normal
    /// Ears that only update.
    case recovery
}

/// What the version endpoint answers: Espressif's JSON with the ears' own `espurr` object (`Protocol/wire.md`).
/// Members that are not known here are ignored.
public struct VersionDocument: Equatable, Sendable {
    /// `ver` of Espressif's object: "v1.0".
    public var localControlVersion: String
    public var mode: EarsMode
    /// Bytes of the largest request, for each endpoint that states it.
    public var requestLimits: [EndpointName: Int]

    /// - Throws: a document that is not application protocol 2 over Security 0, or not bounded JSON.
    public init(parsing bytes: [UInt8]) throws(UnsupportedEars) {
        let fields: (version: String, security: Int64, espurr: BoundedJSON?)
        do {
            let document = try BoundedJSON(parsing: bytes)
            let local = try document.member("local_ctrl")
            fields = (
                try local.string("ver"), try local.integer("sec_ver"), try document.optionalMember("espurr")
            )
        } catch { throw .versionDocument(error) }
        guard fields.security == 0 else { throw .securityVersion(fields.security) }
        guard let espurr = fields.espurr else { throw .noApplicationProtocol }
        localControlVersion = fields.version
        (mode, requestLimits) = try Self.application(espurr)
    }

    private static func application(
        _ espurr: BoundedJSON
    ) throws(UnsupportedEars) -> (EarsMode, [EndpointName: Int]) {
        do {
            let number = try espurr.integer("protocol")
            guard number == Int64(EarsService.applicationProtocol) else {
                throw UnsupportedEars.applicationProtocol(number)
            }
            let name = try espurr.string("mode")
            guard let mode = EarsMode(rawValue: name) else { throw UnsupportedEars.mode(name) }
            return (mode, try limits(espurr))
        } catch let fault as VersionDocumentFault {
            throw .versionDocument(fault)
        } catch let unsupported as UnsupportedEars {
            throw unsupported
        } catch { throw .versionDocument(.syntax(offset: 0)) }
    }

    private static func limits(_ espurr: BoundedJSON) throws(VersionDocumentFault) -> [EndpointName: Int] {
        guard let stated = try espurr.optionalMember("limits") else { return [:] }
        var limits: [EndpointName: Int] = [:]
        for endpoint in EndpointName.allCases {
            guard try stated.optionalMember(endpoint.rawValue) != nil else { continue }
            let bytes = try stated.integer(endpoint.rawValue)
            guard (1...Int64(EarsLimits.attributeBytes)).contains(bytes) else {
                throw .wrongType(member: endpoint.rawValue)
            }
            limits[endpoint] = Int(bytes)
        }
        return limits
    }

    /// Bytes of the largest request to an endpoint; where the ears state none, what the smaller of the two stacks
    /// of ESP-IDF takes for sure.
    public func requestLimit(of endpoint: EndpointName) -> Int {
        requestLimits[endpoint] ?? Self.unstatedRequestLimit
    }

    static let unstatedRequestLimit = 257
}
