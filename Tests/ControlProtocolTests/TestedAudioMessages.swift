import ControlProtocol
import TestSupport

extension AudioRequest: TestedMessage {
    static let protoName = "espurr.audio.AudioRequest"

    static func generated(using random: inout SeededRandom) -> AudioRequest {
        switch random.below(4) {
        case 0: .status
        case 1: .start(session: random.number(), mode: random.enumeration(), milliseconds: random.number())
        case 2: .read(session: random.number(), offset: random.number(), length: random.number())
        default: .stop(session: random.number())
        }
    }
}

extension AudioReply: TestedMessage {
    static let protoName = "espurr.audio.AudioReply"

    static func generated(using random: inout SeededRandom) -> AudioReply {
        AudioReply(
            session: random.number(), state: random.enumeration(), blocks: random.number(),
            droppedBlocks: random.number(), refusal: random.optional { $0.refusal() }, deviceError: random.number(),
            silenceLimit: random.number(), status: random.optional { AudioStatus.generated(using: &$0) },
            data: random.optional {
                AudioData(
                    offset: $0.number(), block: $0.number(), data: $0.bytes(), droppedBlocks: $0.number())
            })
    }
}

extension AudioStatus {
    fileprivate static func generated(using random: inout SeededRandom) -> AudioStatus {
        AudioStatus(
            maximumCapture: random.number(), recordingLength: random.number(), mode: random.enumeration(),
            format: random.optional {
                AudioFormat(
                    sampleRate: $0.number(), bitsPerSample: $0.number(), channels: $0.number(),
                    blockFrames: $0.number())
            },
            totalBlocks: random.number(),
            levels: random.optional {
                AudioLevels(
                    gain: $0.signedNumber(), peak: $0.number(), rms: $0.number(), clippedSamples: $0.number())
            })
    }
}
