public import Bluetooth
public import CommandLineTools

/// Which ears a person or a script means.
public enum EarsName: Hashable, Sendable, CustomStringConvertible {
    case address(BluetoothAddress)
    /// What they advertise: a way to say which, never an identity.
    case name(String)

    public init(_ text: String) {
        self = BluetoothAddress(text).map(EarsName.address) ?? .name(text)
    }

    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name.printable
        }
    }

    public func matches(_ sighting: Sighting) -> Bool {
        switch self {
        case .address(let address): sighting.address == address
        case .name(let name): sighting.name == name
        }
    }
}

/// The options of every verb that needs ears.
public struct EarsOptions: Hashable, Sendable {
    public var device: EarsName?
    public var adapter: AdapterName?
    /// Bounds finding and connecting; what comes after has deadlines of its own.
    public var timeout: Duration

    public static let defaultTimeout = Duration.seconds(30)

    public static let deviceName = "--device"
    private static let device = Option(deviceName, value: "NAME|ADDRESS", "which ears; needed where several are bonded")
    public static let adapterOption = Option("--adapter", value: "hciN", "which Bluetooth adapter")
    private static let timeout = Option(
        "--timeout", value: "TIME", "bounds finding and connecting: 500ms, 30s (the default), 2m")

    public static let options = [device, adapterOption, timeout]

    /// Of verbs that take several pairs of ears too: ``devices(_:)``, ``adapters(_:)``.
    public static let repeatableOptions = [
        repeatable(device, "which ears; needed where several are bonded, and again for each further pair"),
        repeatable(adapterOption, "which Bluetooth adapter; again for each further one of several pairs of ears"),
        timeout,
    ]

    private static func repeatable(_ option: Option, _ help: String) -> Option {
        Option(option.name, value: option.value, repeatable: true, help)
    }

    public static func devices(_ arguments: ParsedArguments) -> [EarsName] {
        arguments.values(of: device).map(EarsName.init)
    }

    public static func adapters(_ arguments: ParsedArguments) throws(CommandFailure) -> [AdapterName] {
        var names: [AdapterName] = []
        for text in arguments.values(of: adapterOption) { names.append(try adapter(named: text)) }
        return names
    }

    private static func adapter(named text: String) throws(CommandFailure) -> AdapterName {
        guard let name = AdapterName(text) else {
            throw .usage("“\(text.printable)” is no adapter's name", remedy: "it is hci and a number: hci0")
        }
        return name
    }

    /// Whether `--timeout` was given, for verbs that have another default.
    public static func isTimeoutGiven(_ arguments: ParsedArguments) -> Bool { arguments.value(of: timeout) != nil }

    public init(device: EarsName? = nil, adapter: AdapterName? = nil, timeout: Duration = Self.defaultTimeout) {
        self.device = device
        self.adapter = adapter
        self.timeout = timeout
    }

    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        device = arguments.value(of: Self.device).map(EarsName.init)
        adapter = nil
        timeout = Self.defaultTimeout
        if let text = arguments.value(of: Self.adapterOption) { adapter = try Self.adapter(named: text) }
        if let text = arguments.value(of: Self.timeout) {
            guard let timespan = Timespan(text) else {
                throw .usage(
                    "“\(text.printable)” is no time limit",
                    remedy: "a whole number with ms, s or m, at most an hour: --timeout 30s")
            }
            timeout = timespan.duration
        }
    }
}
