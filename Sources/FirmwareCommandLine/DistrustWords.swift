import Catalogue
import CommandLineTools

extension Distrust {
    var inWords: String {
        switch self {
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .wrongLength(let expected, let actual): "it has \(actual) bytes and not the \(expected) that were signed"
        case .wrongHash(let algorithm): "its \(algorithm.string.printable) is not the one that was signed"
        case .unknownHashAlgorithm(let name): "its hash is of an unknown kind (\(name.string.printable))"
        case .webPage: "a page of HTML came in its place"
        case .notJSON(let fault): "it is not the JSON of a catalogue: \(fault.inWords)"
        case .badField(let name): "its field “\(name.printable)” is missing or malformed"
        case .wrongType(let expected, let actual):
            "it is a “\(actual.string.printable)” and no \(expected.rawValue)"
        case .unknownSpecification(let version): "it follows an unknown specification (\(version.string.printable))"
        case .tooFewSignatures(let role, let valid, let threshold, let unusable):
            "\(valid) of at least \(threshold) keys of “\(role.description.printable)” have signed it"
                + (unusable.isEmpty
                    ? ""
                    : "; keys of the kind \(unusable.map(\.string.printable).joined(separator: ", ")) do not count")
        case .duplicateSignature(let keyID):
            "the key \(keyID.string.printable) is named twice among its signatures"
        case .wrongVersion(let expected, let actual): "it is version \(actual) where \(expected) has to be"
        case .rollback(let trusted, let actual): "it is version \(actual), older than the trusted \(trusted)"
        case .rollbackListed(let file, let trusted, let actual):
            "it lists version \(actual) of \(file.string.printable), older than the trusted \(trusted)"
        case .vanishedFromSnapshot(let file): "\(file.string.printable) has vanished from it"
        case .missingFromSnapshot(let file): "it does not list \(file.string.printable)"
        case .tooManyRoots(let limit): "more than \(limit) roots follow one another"
        case .tooManyDelegations(let limit): "more than \(limit) delegated roles would have to be asked"
        case .tooManyTargets(let limit): "its delegated roles list more than \(limit) targets"
        case .unsafePath: "it has an unsafe path"
        case .cryptography(let operation): "libcrypto failed (\(operation))"
        }
    }
    /// What to do: some of these are nobody's attack.
    var remedy: String {
        switch self {
        case .webPage:
            "sign in to this network in a browser if it asks for that, else check the catalogue's address "
                + "(espurr-ota trust shows it)"
        case .tooLarge, .wrongLength, .wrongHash, .wrongVersion, .rollback, .rollbackListed, .vanishedFromSnapshot,
            .missingFromSnapshot:
            "a mirror may be between two publications: try again in ten minutes; if it stays, do not install from "
                + "here and tell the catalogue's maker"
        case .tooFewSignatures:
            "check that the catalogue's address and the trusted root belong together (espurr-ota trust shows them); "
                + "if they do, do not install from here and tell the catalogue's maker"
        case .unknownSpecification, .unknownHashAlgorithm: "a newer version of this program may be needed"
        case .tooManyRoots: "run it again: it goes on from the last of them"
        case .cryptography: "check this machine's OpenSSL"
        case .notJSON, .badField, .wrongType, .duplicateSignature, .tooManyDelegations, .tooManyTargets, .unsafePath:
            "do not install from here; tell the catalogue's maker"
        }
    }
}

extension JSONFault {
    /// Where, in bytes from the start, and what is there.
    fileprivate var inWords: String {
        switch reason {
        case .notUTF8: "it is not UTF-8"
        case .unexpectedEnd: "it ends in the middle, at byte \(offset)"
        case .unexpectedByte(let byte): "at byte \(offset) there is \(Self.name(of: byte)), which has no place there"
        case .trailingBytes: "more follows its end at byte \(offset)"
        case .fraction: "at byte \(offset) there is a number that is not whole"
        case .integerOutOfRange: "the number at byte \(offset) is out of range"
        case .loneSurrogate: "at byte \(offset) there is half of a character"
        case .duplicateName(let name): "the name “\(name.string.printable)” comes twice before byte \(offset)"
        case .tooDeep(let limit): "at byte \(offset) it is nested deeper than \(limit)"
        case .tooManyValues(let limit): "it holds more than \(limit) values"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (0x21...0x7E).contains(byte) ? "“\(Character(Unicode.Scalar(byte)))”" : "the byte \(byte)"
    }
}
