import Crypto

/// A key as a root lists it. One of a kind or form that is not known here has its place in the file and verifies nothing.
struct PublicKey: Sendable {
    let type: UTF8Text
    let scheme: UTF8Text
    let verification: VerificationKey?

    init(_ fields: Fields) throws(Distrust) {
        type = try fields.text("keytype")
        scheme = try fields.text("scheme")
        let value = try fields.fields("keyval")
        verification = value.object["public"]?.textValue.flatMap { [type, scheme] in
            Self.verificationKey(type: type, scheme: scheme, value: $0)
        }
    }

    private static func verificationKey(type: UTF8Text, scheme: UTF8Text, value: UTF8Text) -> VerificationKey? {
        switch (type, scheme) {
        case ("ed25519", "ed25519"):
            Hexadecimal.decode(value.bytes).flatMap { try? VerificationKey(ed25519: $0) }
        case ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"):
            try? VerificationKey(ecdsaP256PEM: value.bytes)
        case ("rsa", "rsassa-pss-sha256"):
            try? VerificationKey(rsaPSSPEM: value.bytes)
        default:
            nil
        }
    }
}
