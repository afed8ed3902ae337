import CommandLineTools
import Logind

extension SleepInhibitionError {
    var inWords: String {
        switch self {
        case .absent: "there is no logind"
        case .refused(let name): "policy does not allow to block sleep (\(name.printable))"
        case .noAnswer(let time): "logind did not answer within \(time.inWords)"
        case .failed(let reason): "logind failed (\(reason.printable))"
        case .cancelled: "it was \(CommandFailure.interrupted.cause)"
        }
    }
}
