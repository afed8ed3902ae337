import TestSupport
import Testing

/// What verbs print and end with, sound ears and faulty ones, plain and as JSON: `Transcripts/*.txt`.
@Suite struct TranscriptTests {
    @Test(arguments: try Transcript.all())
    func `a session goes as it is stored`(transcript: Transcript) async throws {
        try await transcript.check()
    }
}
