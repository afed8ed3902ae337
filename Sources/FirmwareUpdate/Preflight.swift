public import Catalogue
public import Ears
public import Firmware
public import ControlProtocol

/// What is to go on the ears, with the witnesses that it has.
public enum UpdateCandidate: Sendable {
    /// Only described yet: the file has not been fetched.
    case described(Release)
    /// A release and its verified file.
    case release(Release, SoundImage)
    /// A local file: nothing but its own descriptor speaks for it.
    case file(SoundImage)
}

/// The names of the family, as each witness has it; nil where there is no such witness.
public struct FamilyWitnesses: Hashable, Sendable {
    /// First part of the target's path.
    public var path: String?
    public var custom: String?
    /// Of the image's application descriptor.
    public var projectName: String?
    public var ears: String

    public init(path: String?, custom: String?, projectName: String?, ears: String) {
        self.path = path
        self.custom = custom
        self.projectName = projectName
        self.ears = ears
    }
}

/// Why this image may not go on these ears. No permission changes any of them.
public enum PreflightRefusal: Error, Hashable, Sendable {
    /// The catalogue contradicts itself about a target that was asked for, or might have been offered.
    case contradiction(ReleaseContradiction)
    case family(FamilyWitnesses)
    /// The ears name a family that this build does not know.
    case unknownFamily(String)
    /// Names of chips: what the family is built on, and who says otherwise.
    case chip(expected: String, release: String?, image: String?, ears: String)
    /// The release's version and the image's own.
    case version(release: String, image: String)
    /// The image is not the file that the release describes.
    case otherFile
    case applicationProtocol(release: Int)
    /// More than a version of the ears' field holds.
    case versionTooLong(bytes: Int)
    case noInactiveSlot
    /// Bytes. `largerLayout` is the slot of the family's usual layout where the image would fit that one: these ears
    /// have a smaller one, which only USB changes.
    case tooLarge(size: Int, capacity: Int, largerLayout: Int?)
    /// What runs is still on trial, and would be lost as the way back.
    case trialPending
    case batteryLow(percent: Int, needed: Int)
}

/// What an update needs to know of the ears, all of it read in one session.
public struct EarsReport: Sendable {
    public var device: DeviceInformation
    public var reading: UpdateReading

    public init(device: DeviceInformation, reading: UpdateReading) {
        self.device = device
        self.reading = reading
    }

    /// The version of what runs; nil in recovery, where no firmware does.
    public var runningVersion: String? { reading.mode == .recovery ? nil : device.firmwareVersion }
}

/// Whether an image fits a pair of ears. Pure, and stricter than the ears themselves.
public enum Preflight {
    /// Per cent, where the ears do not state what they need.
    public static let batteryNeeded = 30
    /// Bytes of a version in an application descriptor, with its NUL one more.
    public static let maximumVersionBytes = 31

    /// Everything that speaks against it, in the order in which it is worth mending; empty: it fits.
    public static func refusals(_ candidate: UpdateCandidate, on ears: EarsReport) -> [PreflightRefusal] {
        let identity = [family(candidate, ears), chip(candidate, ears), version(candidate), file(candidate)]
        let fit = [applicationProtocol(candidate), capacity(candidate, ears), trial(ears), battery(ears)]
        return (identity + fit).compactMap { $0 }
    }

    private static func family(_ candidate: UpdateCandidate, _ ears: EarsReport) -> PreflightRefusal? {
        guard let family = BoardFamily(name: ears.device.family) else { return .unknownFamily(ears.device.family) }
        let witnesses = FamilyWitnesses(
            path: candidate.release?.pathFamily, custom: candidate.release?.family,
            projectName: candidate.image.map { $0.descriptor.projectName ?? "" }, ears: ears.device.family)
        let catalogueAgrees = [witnesses.path, witnesses.custom].allSatisfy { $0 == nil || $0 == family.name }
        let imageAgrees = candidate.image.map { $0.family == .family(family) } ?? true
        return catalogueAgrees && imageAgrees ? nil : .family(witnesses)
    }

    private static func chip(_ candidate: UpdateCandidate, _ ears: EarsReport) -> PreflightRefusal? {
        guard let expected = BoardFamily(name: ears.device.family)?.chip.name else { return nil }
        let image = candidate.image.map { $0.chip.name ?? "\($0.chip.id)" }
        let names = [candidate.release?.chip, image, ears.device.chip]
        guard names.contains(where: { $0 != nil && $0 != expected }) else { return nil }
        return .chip(expected: expected, release: candidate.release?.chip, image: image, ears: ears.device.chip)
    }

    private static func version(_ candidate: UpdateCandidate) -> PreflightRefusal? {
        if let image = candidate.image, image.version.utf8.count > maximumVersionBytes {
            return .versionTooLong(bytes: image.version.utf8.count)
        }
        guard case .release(let release, let image) = candidate, image.version != release.version.description else {
            return nil
        }
        return .version(release: release.version.description, image: image.version)
    }

    private static func file(_ candidate: UpdateCandidate) -> PreflightRefusal? {
        guard case .release(let release, let image) = candidate else { return nil }
        return release.describes(image) ? nil : .otherFile
    }

    private static func applicationProtocol(_ candidate: UpdateCandidate) -> PreflightRefusal? {
        guard let release = candidate.release, release.applicationProtocol != Int(EarsService.applicationProtocol)
        else { return nil }
        return .applicationProtocol(release: release.applicationProtocol)
    }

    private static func capacity(_ candidate: UpdateCandidate, _ ears: EarsReport) -> PreflightRefusal? {
        guard let slot = ears.reading.inactive else { return .noInactiveSlot }
        let capacity = Int(slot.capacity)
        guard candidate.size > capacity else { return nil }
        let usual = BoardFamily(name: ears.device.family)?.expectedSlotCapacity
        return .tooLarge(
            size: candidate.size, capacity: capacity, largerLayout: usual.flatMap { candidate.size <= $0 ? $0 : nil })
    }

    private static func trial(_ ears: EarsReport) -> PreflightRefusal? {
        // In recovery nothing is on trial, and what is there is no way back that could be lost.
        guard ears.reading.mode == .normal else { return nil }
        return [.new, .pendingVerify].contains(ears.reading.running.otaState) ? .trialPending : nil
    }

    /// Ears that report no battery are not asked for one.
    private static func battery(_ ears: EarsReport) -> PreflightRefusal? {
        guard let percent = ears.reading.status.batteryPercent else { return nil }
        let stated = Int(ears.reading.status.batteryPercentNeeded)
        let needed = stated == 0 ? batteryNeeded : stated
        return Int(percent) < needed ? .batteryLow(percent: Int(percent), needed: needed) : nil
    }
}

extension UpdateCandidate {
    public var release: Release? {
        switch self {
        case .described(let release), .release(let release, _): release
        case .file: nil
        }
    }

    public var image: SoundImage? {
        switch self {
        case .described: nil
        case .release(_, let image), .file(let image): image
        }
    }

    /// Bytes of the file.
    var size: Int {
        switch self {
        case .described(let release): Int(clamping: release.target.length)
        case .release(_, let image), .file(let image): image.size
        }
    }
}

extension Release {
    /// The first part of the path, read on its own: a witness beside `custom`.
    fileprivate var pathFamily: String {
        String(target.path.string.prefix { $0 != "/" })
    }

    /// Length and hash, held against each other once more: the file may have come from a cache.
    fileprivate func describes(_ image: SoundImage) -> Bool {
        let digits = image.sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return target.length == image.size && target.sha256.map { $0 == digits } ?? true
    }
}
