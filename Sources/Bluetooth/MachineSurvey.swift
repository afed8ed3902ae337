/// One look at this machine's Bluetooth that uses no radio and changes nothing: what a diagnosis is made from.
public struct MachineSurvey: Equatable, Sendable {
    /// In the order of their names.
    public var adapters: [Adapter]
    /// The devices that BlueZ knows with a service.
    public var devices: [SurveyedDevice]
    /// Programs on the bus that are known to answer pairings for everybody.
    public var agents: [AgentProgram]

    public init(adapters: [Adapter], devices: [SurveyedDevice] = [], agents: [AgentProgram] = []) {
        self.adapters = adapters
        self.devices = devices
        self.agents = agents
    }
}

public struct SurveyedDevice: Equatable, Sendable {
    public var sighting: Sighting
    /// BlueZ remembers services of it, and the one that it is known by is not among them.
    public var isServiceMissing: Bool
    /// Another program has acquired characteristics of it.
    public var isHeld: Bool

    public init(sighting: Sighting, isServiceMissing: Bool = false, isHeld: Bool = false) {
        self.sighting = sighting
        self.isServiceMissing = isServiceMissing
        self.isHeld = isHeld
    }
}

/// A program on the bus that is known to register as BlueZ's default agent.
///
/// That it is the default agent now cannot be seen: `org.bluez.AgentManager1` tells nobody which agents there are
/// (org.bluez.AgentManager(5)), and a user's process may not ask another's.
public struct AgentProgram: Hashable, Sendable {
    /// Of its process, as the kernel has it: 15 bytes at most.
    public var name: String
    public var process: UInt32
    /// Its command line says `NoInputNoOutput`: pairings that it answers compare nothing.
    public var comparesNothing: Bool

    public init(name: String, process: UInt32, comparesNothing: Bool) {
        self.name = name
        self.process = process
        self.comparesNothing = comparesNothing
    }
}

/// Something that can look at this machine.
public protocol MachineSurveying: Sendable {
    /// - Parameter service: of the devices that matter.
    /// - Throws: the state that keeps it from being seen.
    func survey(of service: BluetoothUUID) async throws(BluetoothError) -> MachineSurvey
}
