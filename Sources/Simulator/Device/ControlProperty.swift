/// The properties of the control endpoint and their indices: four of the protocol's own, then each setting with its
/// descriptor behind it.
enum ControlProperty: Hashable, Sendable {
    case device
    case capabilities
    case state
    case change
    /// By the setting's position.
    case setting(Int)
    case descriptor(Int)

    static let own: [ControlProperty] = [.device, .capabilities, .state, .change]

    /// Nil where there are not so many.
    init?(index: UInt32, settings count: Int) {
        let index = Int(index)
        if index < Self.own.count {
            self = Self.own[index]
            return
        }
        let (position, rest) = (index - Self.own.count).quotientAndRemainder(dividingBy: 2)
        guard position < count else { return nil }
        self = rest == 0 ? .setting(position) : .descriptor(position)
    }

    static func count(settings: Int) -> UInt32 { UInt32(own.count + 2 * settings) }
}
