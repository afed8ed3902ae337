/// The link: one at a time, its encryption, and pairing.
extension SimulatedEars {
    /// How long a click of the button allows a new bond, and how long the ears wait for one.
    static let clickValidity: Duration = .seconds(30)

    /// Opens the link.
    /// - Parameter peer: the peer's identity address.
    /// - Returns: false where there is nobody to connect to.
    public mutating func connect(from peer: String, at now: Duration) -> Bool {
        pass(to: now)
        guard advertisement != nil else { return false }
        link = Link(peer: peer)
        effects.append(.advertisementChanged)
        return true
    }

    /// The peer ends the link, or its radio is gone.
    public mutating func disconnect(at now: Duration) {
        pass(to: now)
        endLink()
    }

    /// The peer encrypts the link with the key that it kept.
    /// - Returns: false where the ears do not have that key (any more): they end the link.
    public mutating func encrypt(with key: BondKey, at now: Duration) -> Bool {
        pass(to: now)
        guard let peer = link?.peer else { return false }
        guard memory.bonds.key(of: peer) == key else {
            dropLink()
            return false
        }
        link?.isEncrypted = true
        return true
    }

    /// The peer asks for a bond (LE Secure Connections, numeric comparison); how it goes on comes as ``PairingEvent``s.
    ///
    /// A click of the button lets a peer that the ears hold a bond with replace it. Stock NimBLE drops its request
    /// instead, so that a bond which only the peer forgot could never be made again: that is ``Fault/keepsBond``.
    public mutating func requestPairing(at now: Duration) {
        pass(to: now)
        guard let link, !link.isSilent, link.pairing == nil else { return }
        if configuration.faults.contains(.keepsBond), memory.bonds.key(of: link.peer) != nil { return }
        if configuration.faults.contains(.justWorks) { return bond() }
        if let lastClick, now - lastClick <= Self.clickValidity { return compare() }
        self.link?.pairing = .waitingForClick(until: now + Self.clickValidity)
        effects.append(.pairing(.clickNeeded))
    }

    /// The peer says whether its digits are those of the ears, or gives the pairing up.
    public mutating func confirmPairing(_ isEqual: Bool, at now: Duration) {
        pass(to: now)
        switch link?.pairing {
        case .comparing where isEqual: bond()
        case .comparing, .waitingForClick: if !isEqual { failPairing(.rejectedByPeer) }
        case nil: break
        }
    }

    /// Somebody clicks the button of the headset.
    public mutating func clickButton(at now: Duration) {
        pass(to: now)
        guard !configuration.faults.contains(.noClick), activity.isRunning else { return }
        lastClick = now
        if case .waitingForClick = link?.pairing { compare() }
    }

    /// Makes a bond without a link, as if it had been paired before.
    public mutating func provisionBond(with peer: String) -> BondKey {
        let key = newKey()
        memory.bonds.add(key, of: peer)
        return key
    }

    func pairingIsDue() -> Bool { link?.pairing?.deadline.map { $0 <= time } ?? false }

    mutating func failPairing(_ failure: PairingFailure) {
        link?.pairing = nil
        effects.append(.pairing(.failed(failure)))
    }

    private mutating func compare() {
        let passkey = UInt32.random(in: 0..<1_000_000, using: &generator)
        link?.pairing = .comparing(passkey: passkey)
        let digits = String(passkey)
        effects.append(.serialLine("passkey " + String(repeating: "0", count: 6 - digits.count) + digits))
        effects.append(.pairing(.comparison(passkey: passkey)))
    }

    private mutating func bond() {
        guard let peer = link?.peer else { return }
        let key = newKey()
        memory.bonds.add(key, of: peer)
        lastClick = nil
        link?.pairing = nil
        link?.isEncrypted = true
        effects.append(.pairing(.bonded(key)))
    }

    private mutating func newKey() -> BondKey {
        BondKey(bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// The ears end the link.
    mutating func dropLink() {
        guard link != nil else { return }
        endLink()
        effects.append(.linkDropped)
    }

    private mutating func endLink() {
        guard link != nil else { return }
        link = nil
        activity.withFirmware {
            $0.update.linkEnded()
            $0.audio.end()
        }
        effects.append(.advertisementChanged)
    }
}

extension Pairing {
    var deadline: Duration? {
        if case .waitingForClick(let until) = self { until } else { nil }
    }
}
