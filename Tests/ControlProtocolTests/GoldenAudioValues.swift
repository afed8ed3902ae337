import ControlProtocol

private let format = AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: 128)

/// What the rows of `Fixtures/golden.tsv` for the audio endpoint mean, by their names.
let audioValues: [String: any TestedMessage] = [
    "audio status request": AudioRequest.status,
    "audio start request, capture": AudioRequest.start(session: 0xDEAD_BEEF, mode: .capture, milliseconds: 2000),
    "audio start request, recording": AudioRequest.start(session: 7, mode: .recording, milliseconds: 0),
    "audio start request, unknown mode": AudioRequest.start(session: 1, mode: .unknown(9), milliseconds: 0),
    "audio start request, empty": AudioRequest.start(session: 0, mode: .none, milliseconds: 0),
    "audio read request": AudioRequest.read(session: 0xDEAD_BEEF, offset: 159_744, length: 512),
    "audio read request, empty": AudioRequest.read(session: 0, offset: 0, length: 0),
    "audio stop request": AudioRequest.stop(session: 0xDEAD_BEEF),
    "audio reply, empty": AudioReply(session: 0, state: .idle, silenceLimit: 0),
    "audio reply, running": AudioReply(
        session: 0xDEAD_BEEF, state: .running, blocks: 300, droppedBlocks: 3, silenceLimit: 30_000),
    "audio reply, failed": AudioReply(
        session: 7, state: .failed, blocks: 12, refusal: .microphoneError, deviceError: 0x103, silenceLimit: 30_000),
    "audio reply, unknown state and refusal": AudioReply(
        session: 0, state: .unknown(4), refusal: .unknown(11), silenceLimit: 0),
    "audio reply, status with all fields": AudioReply(
        session: 7, state: .complete, blocks: 625, droppedBlocks: 2, silenceLimit: 30_000,
        status: AudioStatus(
            maximumCapture: 4000, recordingLength: 5000, mode: .recording, format: format, totalBlocks: 625,
            levels: AudioLevels(gain: -250, peak: 32_768, rms: 1203, clippedSamples: 44))),
    "audio reply, status empty": AudioReply(
        session: 0, state: .idle, silenceLimit: 0, status: AudioStatus(maximumCapture: 0, recordingLength: 0)),
    "audio reply, data": AudioReply(
        session: 7, state: .running, blocks: 40, silenceLimit: 30_000,
        data: AudioData(offset: 512, block: 2, data: [0, 0, 255, 127, 0, 128])),
    "audio reply, dropped": AudioReply(
        session: 7, state: .running, blocks: 40, droppedBlocks: 3, silenceLimit: 30_000,
        data: AudioData(offset: 1024, block: 4, droppedBlocks: 3)),
    "audio reply, nothing yet": AudioReply(
        session: 7, state: .running, silenceLimit: 30_000, data: AudioData(offset: 0, block: 0)),
]
