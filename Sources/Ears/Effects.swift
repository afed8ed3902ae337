public import ControlProtocol

/// An effect of the catalogue, with the values of its parameters.
public struct Effect: Hashable, Sendable {
    public var name: String
    public var title: String
    public var isRunning: Bool
    public var missingCapability: String?
    public var parameters: [Parameter]

    public struct Parameter: Hashable, Sendable {
        public var description: EffectParameter
        /// Nil where the ears give none.
        public var value: ParameterValue?
        public var missingCapability: String?
    }
}

extension EarsSession {
    /// The effects that these ears have, read afresh, in their order; one that they describe nowhere has no parameters.
    ///
    /// - Throws: ``SettingError`` where there is no setting `effect`, or not in this mode.
    public func effects() async throws(EarsError) -> [Effect] {
        let settings = try await settings()
        let effect = try setting(PropertyName.effect, among: settings)
        guard case .enumeration(let choices) = effect.descriptor?.kind else {
            throw .setting(effect.error(.unknownKind))
        }
        return choices.map { name in
            let described = settings.first { $0.name == PropertyName.effectPrefix + name }
            return Effect(
                name: name, title: described?.descriptor?.title ?? "", isRunning: effect.value == .choice(name),
                missingCapability: described?.missingCapability, parameters: described?.parameters ?? [])
        }
    }
}

extension Setting {
    fileprivate var parameters: [Effect.Parameter] {
        guard case .effect(let descriptions) = descriptor?.kind, case .parameters(let values) = value else { return [] }
        return descriptions.map {
            Effect.Parameter(description: $0, value: values[$0.name], missingCapability: lacks($0.capability))
        }
    }
}
