internal import Bluetooth
public import ControlProtocol

/// What the properties are called and how they are laid out; their order is the ears'.
struct PropertyLayout: Sendable {
    struct Entry: Sendable {
        var name: String
        var type: PropertyType
        var flags: PropertyFlags
    }

    var entries: [Entry]
    var indices: [String: UInt32]

    init(_ properties: [PropertyInfo]) throws(WireFault) {
        entries = properties.map { Entry(name: $0.name, type: $0.type, flags: $0.flags) }
        indices = [:]
        for (index, property) in properties.enumerated() {
            guard indices.updateValue(UInt32(index), forKey: property.name) == nil else {
                throw .duplicateProperty(property.name)
            }
        }
    }
}

/// The names of the properties that application protocol 2 gives a meaning (`Protocol/espurr_settings.proto`).
enum PropertyName {
    static let device = "device"
    static let capabilities = "capabilities"
    static let state = "state"
    static let change = "change"
    static let descriptorSuffix = ".descriptor"
}

extension EarsSession {
    /// Every property with its value, in the ears' order.
    public func properties() async throws(EarsError) -> [PropertyInfo] {
        let count = try await propertyCount()
        let properties = try await propertyValues(Array(0..<count))
        do { layout = try PropertyLayout(properties) } catch { throw .wire(error) }
        lastReading = properties
        return properties
    }

    func propertyCount() async throws(EarsError) -> UInt32 {
        guard case .propertyCount(let status, let count) = try await control(.propertyCount) else {
            throw .wire(.unexpectedReply(.control))
        }
        guard status == .success else { throw .refused(status) }
        guard count <= EarsLimits.properties else { throw .wire(.tooManyProperties(count)) }
        return count
    }

    /// Values in batches; a batch whose reply does not fit (ATT 0x0D) is halved.
    func propertyValues(_ indices: [UInt32]) async throws(EarsError) -> [PropertyInfo] {
        var properties: [PropertyInfo] = []
        var batch = EarsLimits.propertiesPerExchange
        while properties.count < indices.count {
            let wanted = Array(indices[properties.count...].prefix(batch))
            do throws(EarsError) {
                properties += try await oneBatch(wanted)
            } catch {
                guard error.saysTooLong else { throw error }
                guard wanted.count > 1 else { throw .wire(.propertyTooLarge(index: wanted[0])) }
                batch = wanted.count / 2
            }
        }
        return properties
    }

    private func oneBatch(_ indices: [UInt32]) async throws(EarsError) -> [PropertyInfo] {
        guard case .propertyValues(let status, let properties) = try await control(.propertyValues(indices: indices))
        else { throw .wire(.unexpectedReply(.control)) }
        guard status == .success else { throw .refused(status) }
        guard properties.count == indices.count else { throw .wire(.unexpectedReply(.control)) }
        for property in properties where property.status != .success { throw .refused(property.status) }
        return properties
    }

    /// One property by its name, read afresh.
    func property(_ name: String) async throws(EarsError) -> PropertyInfo {
        let known: PropertyLayout
        if let layout {
            known = layout
        } else {
            _ = try await properties()
            guard let layout else { throw .wire(.missingProperty(name)) }
            known = layout
        }
        guard let index = known.indices[name] else { throw .wire(.missingProperty(name)) }
        guard let property = try await oneBatch([index]).first, property.name == name else {
            throw .wire(.unexpectedReply(.control))
        }
        return property
    }

    func control(_ request: LocalControlRequest) async throws(EarsError) -> LocalControlResponse {
        let reply = try await exchange(request.encoded(), on: .control)
        do { return try LocalControlResponse(decoding: reply) } catch { throw .wire(.undecodable(.control)) }
    }
}

extension EarsError {
    /// ATT "Invalid Attribute Value Length": what the stack answers where a message is larger than it takes.
    var saysTooLong: Bool {
        guard case .bluetooth(.attribute(let code, _)) = self else { return false }
        return code == 0x0D
    }
}
