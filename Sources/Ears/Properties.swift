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
    static let effect = "effect"
    static let effectPrefix = "effect."
    static let palette = "palette"
    static let savedPalettes = "palette.saved."
    static let builtInPalettes = "palette.built-in."
    static let paletteCommand = "palette.command"
    static let motionState = "motion.state"
    static let motionCommand = "motion.command"
    static let storageState = "storage.state"
    static let storageCommand = "storage.command"
    static let wifiPassword = "wifi-password"
    static let wifiPasswordIsSet = "wifi-password.is-set"
}

extension EarsSession {
    /// Every property with its value, in the ears' order.
    public func properties() async throws(EarsError) -> [PropertyInfo] {
        let count = try await propertyCount()
        let properties = try await propertyValues(Array(0..<count))
        do { layout = try PropertyLayout(properties) } catch { throw .wire(error) }
        keepTable(of: properties)
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

    /// Values in batches; a batch whose reply does not fit (ATT 0x0D) is halved, and one whose reply filled less than a
    /// third of what fits is followed by one of twice its size: a few large properties do not make all after them slow.
    func propertyValues(_ indices: [UInt32]) async throws(EarsError) -> [PropertyInfo] {
        var properties: [PropertyInfo] = []
        var batch = EarsLimits.propertiesPerExchange
        while properties.count < indices.count {
            let wanted = Array(indices[properties.count...].prefix(batch))
            do throws(EarsError) {
                let found = try await oneBatch(wanted)
                properties += found
                let isSmall = found.reduce(0) { $0 + $1.encodedSize } < EarsLimits.attributeBytes / 3
                if isSmall { batch = min(2 * wanted.count, EarsLimits.propertiesPerExchange) }
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
        guard let property = try await properties(named: { $0 == name }).first else {
            throw .wire(.missingProperty(name))
        }
        return property
    }

    /// The properties whose names fit, read afresh, in the ears' order.
    func properties(named fits: (String) -> Bool) async throws(EarsError) -> [PropertyInfo] {
        let known = try await knownLayout()
        let wanted = known.entries.indices.filter { fits(known.entries[$0].name) }
        return try await properties(at: wanted, in: known)
    }

    /// Held to the names that the layout gives them: of a layout that was recalled for other properties nothing is taken,
    /// and it is not recalled again.
    func properties(at places: [Int], in layout: PropertyLayout) async throws(EarsError) -> [PropertyInfo] {
        let found = try await propertyValues(places.map(UInt32.init))
        for (place, property) in zip(places, found) where property.name != layout.entries[place].name {
            if let hash = document.propertyTable { memory?.forget(hash) }
            throw .wire(.unexpectedReply(.control))
        }
        return found
    }

    func knownLayout() async throws(EarsError) -> PropertyLayout {
        recallTable()
        if let layout { return layout }
        let properties = try await properties()
        do { return try PropertyLayout(properties) } catch { throw .wire(error) }
    }

    func control(_ request: LocalControlRequest) async throws(EarsError) -> LocalControlResponse {
        let reply = try await exchange(request.encoded(), on: .control)
        do { return try LocalControlResponse(decoding: reply) } catch { throw .wire(.undecodable(.control)) }
    }
}

extension PropertyInfo {
    /// Bytes that it takes in a reply, about.
    fileprivate var encodedSize: Int { name.utf8.count + value.count + 12 }
}

extension EarsError {
    /// ATT "Invalid Attribute Value Length": what the stack answers where a message is larger than it takes.
    var saysTooLong: Bool {
        guard case .bluetooth(.attribute(let code, _)) = self else { return false }
        return code == 0x0D
    }
}
