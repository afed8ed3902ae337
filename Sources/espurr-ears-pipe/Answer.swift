import Foundation
import Simulator

/// To a request, by its id.
struct Answer: Encodable {
    let id: Int?
    var isAccepted: Bool?
    /// Hexadecimal.
    var value: String?
    var failure: String?
    /// Of the Attribute Protocol, where `failure` is `attribute`.
    var attributeError: UInt8?

    private enum CodingKeys: String, CodingKey {
        case id, isAccepted = "accepted", value, failure, attributeError = "attribute_error"
    }

    mutating func fail(_ error: GATTFailure) {
        switch error {
        case .attribute(let attributeError):
            failure = "attribute"
            self.attributeError = attributeError.rawValue
        case .notConnected: failure = "not connected"
        case .linkLost: failure = "link lost"
        case .noAnswer: failure = "no answer"
        }
    }
}

extension Encodable {
    /// As one line on standard output.
    func send() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { return }
        FileHandle.standardOutput.write(json + [UInt8(ascii: "\n")])
    }
}
