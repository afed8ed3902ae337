/// The limits of D-Bus (D-Bus specification, "Valid Signatures", "Marshaling", "Message Format"), and this module's
/// own, which are lower where the specification's would let a peer fill the memory.
public enum DBusLimits {
    /// Array codes within array codes in one signature.
    public static let arrayDepth = 32
    /// Open parentheses within open parentheses in one signature.
    public static let structureDepth = 32
    /// Containers within containers in one message, variants among them.
    public static let totalDepth = 64
    /// Bytes of a signature, and of a bus, interface, member or error name.
    public static let nameLength = 255
    /// Bytes of one array, without its length field.
    public static let arrayLength = 1 << 26
    /// Bytes of the body of a message that is sent, which leaves room for a header in the 2^27 of a message.
    public static let sentBodyLength = (1 << 27) - (1 << 16)
    /// Bytes of a message that is received; a longer one ends the connection.
    public static let receivedMessageLength = 1 << 24
    /// Descriptors in one message, as the reference daemon has it by default on the system bus.
    public static let descriptors = 16
    /// A longer one is as good as this; time can be reckoned with without an overflow.
    public static let longestDeadline = Duration.seconds(1 << 31)
    /// Signals that wait in one stream; the next one ends it.
    public static let bufferedSignals = 4096
    /// Calls of exported objects under way at once; further ones are answered with `LimitsExceeded`.
    public static let callsUnderWay = 256
}
