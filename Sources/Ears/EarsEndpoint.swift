internal import Bluetooth
internal import ControlProtocol

/// A characteristic that is known to be an endpoint of the ears.
struct EarsEndpoint: Sendable {
    let name: EndpointName
    let characteristic: Characteristic

    /// The endpoints of a connected pair of ears, by their 0x2901 names, each with the UUID that the scheme gives it.
    ///
    /// What has another name, or none, is left alone: it is not known what a write to it does.
    static func discover(on peripheral: any Peripheral) async throws(EarsError) -> [EndpointName: EarsEndpoint] {
        let characteristics = try await bluetooth {
            () throws(BluetoothError) in try await peripheral.characteristics(of: EarsSession.service)
        }
        guard characteristics.count <= EarsLimits.characteristics else {
            throw .unsupported(.tooManyCharacteristics(characteristics.count))
        }
        var endpoints: [EndpointName: EarsEndpoint] = [:]
        for characteristic in characteristics where characteristic.descriptors.contains(.userDescription) {
            guard let name = try await name(of: characteristic, on: peripheral) else { continue }
            guard characteristic.uuid.description == EarsService.characteristicUUID(of: name) else {
                throw .unsupported(.endpointMismatch(name, found: characteristic.uuid))
            }
            guard endpoints[name] == nil else { throw .unsupported(.duplicateEndpoint(name)) }
            endpoints[name] = EarsEndpoint(name: name, characteristic: characteristic)
        }
        return endpoints
    }

    /// Espressif's own client compares lower-cased names, so the case is not told apart here either.
    private static func name(
        of characteristic: Characteristic, on peripheral: any Peripheral
    ) async throws(EarsError) -> EndpointName? {
        let description = try await bluetooth {
            () throws(BluetoothError) in
            try await peripheral.readDescriptor(
                .userDescription, of: characteristic, deadline: EarsDeadlines.descriptorRead)
        }
        guard description.count <= EarsLimits.attributeBytes, let text = String(validating: description, as: UTF8.self)
        else { return nil }
        return EndpointName(rawValue: text.lowercased())
    }
}

/// Runs an operation of the seam and gives its error the ears' type.
func bluetooth<Value: Sendable>(
    _ operation: () async throws(BluetoothError) -> Value
) async throws(EarsError) -> Value {
    do { return try await operation() } catch { throw .bluetooth(error) }
}
