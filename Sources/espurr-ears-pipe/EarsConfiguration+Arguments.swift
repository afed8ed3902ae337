import Simulator

enum ArgumentError: Error {
    case usage
    case family(String)
    case fault(String, FaultSyntaxError)
}

extension EarsConfiguration {
    init(_ arguments: ArraySlice<String>) throws(ArgumentError) {
        guard let name = arguments.first, let address = arguments.dropFirst().first else { throw .usage }
        guard let family = BoardFamily(rawValue: name) else { throw .family(name) }
        var faults: [Fault] = []
        var mode = Mode.normal
        for text in arguments.dropFirst(2) {
            guard text != "recovery" else {
                mode = .recovery
                continue
            }
            do throws(FaultSyntaxError) {
                faults.append(try Fault(parsing: text))
            } catch {
                throw .fault(text, error)
            }
        }
        self.init(
            family: family, address: address, mode: mode, faults: faults, seed: UInt64.random(in: 0...UInt64.max))
    }
}
