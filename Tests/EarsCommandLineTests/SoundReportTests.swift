import CommandLineTools
import ControlProtocol
import Ears
import Foundation
import TestSupport
import Testing

@testable import EarsCommandLine

/// A sound of given samples, and a report of it.
private enum Take {
    static let device = DeviceInformation(
        family: "s3", chip: "ESP32-S3", firmwareVersion: "1.4.0", name: "espurr-0001", hardwareRevision: "A",
        applicationProtocol: 2)
    static let began = UTCMoment(seconds: 1_796_017_140)

    static func of(
        _ samples: [Int16], dropped: [Range<Int>] = [], levels: AudioLevels? = nil
    ) -> AudioTake {
        AudioTake(
            mode: .capture,
            format: AudioFormat(sampleRate: 16_000, bitsPerSample: 16, channels: 1, blockFrames: 100),
            pcm: samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] },
            totalBlocks: samples.count / 100, droppedBlocks: dropped, levels: levels)
    }

    static func report(_ take: AudioTake, device: DeviceInformation = device) throws -> SoundReport {
        try SoundReport(take, device: device, began: began)
    }

    /// ± a value, in turn.
    static func square(_ value: Int16, count: Int = 1000) -> [Int16] {
        (0..<count).map { $0.isMultiple(of: 2) ? value : -value }
    }
}

@Suite struct `What is found in a sound` {
    @Test(arguments: [
        (Take.of(Take.square(5000)), [SoundFinding]()), (Take.of(Take.square(0)), [.silent]),
        (Take.of(Take.square(32_767)), [.clipped(samples: 500, passages: 1)]),
        (Take.of(Take.square(5000), dropped: [2..<4]), [.dropped(blocks: 2, of: 10)]),
        (Take.of(Take.square(5000), dropped: [0..<10]), [.dropped(blocks: 10, of: 10)]),
        (
            Take.of(
                Take.square(5000), levels: AudioLevels(gain: 0, peak: 5000, rms: 5000, clippedSamples: 0)), []
        ),
        (
            Take.of(Take.square(5000), levels: AudioLevels(gain: 0, peak: 5001, rms: 4000, clippedSamples: 1)),
            [
                .disagreement(what: "peak"), .disagreement(what: "clipped samples"), .disagreement(what: "RMS"),
            ]
        ),
    ])
    func `is told`(take: AudioTake, findings: [SoundFinding]) throws {
        #expect(try Take.report(take).findings == findings)
    }

    @Test func `quiet, and off its zero line`() throws {
        let quiet = try Take.report(Take.of(Take.square(100)))
        #expect(quiet.findings.map(\.code) == ["quiet"])
        let shifted = try Take.report(Take.of(Take.square(5000).map { $0 + 400 }))
        #expect(shifted.findings.map(\.code) == ["dc_offset"])
        #expect(shifted.findings[0].inWords == "the zero line is off by 1.22 % of full scale")
    }

    @Test func `a zero has no sign`() {
        #expect((-0.000_01).percent == "0.0 %")
        #expect((-0.04).decibels == "0.0 dBFS")
        #expect((-0.000_1).percent == "-0.01 %")
    }

    @Test func `people read it in a few lines`() throws {
        let levels = AudioLevels(gain: 2450, peak: 16_384, rms: 16_384, clippedSamples: 0)
        let report = try Take.report(Take.of(Take.square(16_384), dropped: [1..<3], levels: levels))
        let lines = report.rows.map { "\($0): \($1)" }
        #expect(
            lines == [
                "sound: 0.063 s, 16000 Hz, 16 bits, mono", "peak: -6.0 dBFS", "RMS: -6.0 dBFS",
                "noise floor: -6.0 dBFS", "DC offset: 0.0 % of full scale", "clipped: none",
                "dropped: 2 of 10 blocks (12.5 ms), first at 0.006 s",
                "ears say: gain 24.5 dB, peak -6.0 dBFS, RMS -6.0 dBFS, 0 samples clipped",
                "verdict: 2 of 10 blocks were dropped by the ears; they are silence in the file, and not measured",
            ])
        #expect(try Take.report(Take.of(Take.square(16_384))).rows.last?.1 == "nothing wrong with it")
    }
}

@Suite struct `Names of files` {
    @Test(arguments: [
        ("espurr-0001", "espurr-0001"), ("", "ears"), ("../../etc/passwd", "_.._etc_passwd"), (".hidden", "hidden"),
        ("--output", "output"), ("my ears", "my_ears"), ("a/b\0c\n", "a_b_c_"), ("\u{1F431}", "_"), ("Mäuse", "M_use"),
        ("...", "ears"), (String(repeating: "x", count: 500), String(repeating: "x", count: 40)),
    ])
    func `are safe whatever the ears are called`(name: String, file: String) {
        #expect(SoundDestination.name(name) == file)
    }

    @Test func `a moment is a time of UTC`() {
        #expect(Take.began.text == "2026-11-30T05:39:00Z")
        #expect(Take.began.compactText == "20261130T053900Z")
        #expect(UTCMoment(seconds: 0).text == "1970-01-01T00:00:00Z")
        #expect(UTCMoment(seconds: 951_782_400).compactText == "20000229T000000Z")
    }
}

@Suite struct `Files of a sound` {
    private let folder: TemporaryFolder
    private let report: SoundReport

    init() throws {
        folder = try TemporaryFolder()
        report = try Take.report(Take.of(Take.square(5000), dropped: [2..<3]))
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func destination(plot: String? = nil) -> SoundDestination {
        SoundDestination(folder: folder.path, plot: plot.map { folder.path + "/" + $0 })
    }

    @Test func `WAV, sidecar and plot appear together, and the sidecar has the WAV's hash`() throws {
        let files = try destination(plot: "plot.svg").publish(report)
        #expect(
            names == ["espurr-0001-20261130T053900Z.json", "espurr-0001-20261130T053900Z.wav", "plot.svg"])
        let sidecar = try #require(JSONDocument(parsing: String(contentsOfFile: files.json, encoding: .utf8)))
        #expect(sidecar["schema"] == "espurr.sound/1")
        #expect(sidecar["wav"]["file"] == "espurr-0001-20261130T053900Z.wav")
        #expect(sidecar["wav"]["bytes"] == .integer(44 + 2000))
        #expect(sidecar["missing"]["ranges"][0]["first_frame"] == 200)
        #expect(sidecar["began_at"] == "2026-11-30T05:39:00Z")
    }

    @Test func `a second sound of the same second gets a number, and the first stays`() throws {
        let first = try destination().publish(report)
        let before = try Data(contentsOf: URL(fileURLWithPath: first.wav))
        let second = try destination().publish(report)
        #expect(second.wav.hasSuffix("Z-2.wav") && second.json.hasSuffix("Z-2.json"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: first.wav)) == before)
        #expect(names.count == 4)
    }

    @Test(arguments: ["espurr-0001-20261130T053900Z.json", "espurr-0001-20261130T053900Z.wav"])
    func `a name of which one half is taken is not used for the other`(taken: String) throws {
        try folder.write("mine", to: taken)
        let files = try destination().publish(report)
        #expect(files.wav.hasSuffix("Z-2.wav"))
        #expect(try String(contentsOfFile: folder.path + "/" + taken, encoding: .utf8) == "mine")
    }

    @Test func `a plot that is there already is refused before anything is asked, and stays`() throws {
        try folder.write("mine", to: "plot.svg")
        let refusal = #expect(throws: CommandFailure.self) { try destination(plot: "plot.svg").check() }
        #expect(refusal?.status == .outputNotWritable)
        #expect(refusal?.code == "output_exists")
        // And where it appears only later.
        #expect(throws: CommandFailure.self) { try destination(plot: "plot.svg").publish(report) }
        #expect(names == ["plot.svg"])
    }

    @Test func `a folder that vanishes takes everything with it: 16`() throws {
        let destination = SoundDestination(folder: folder.path + "/sub", plot: folder.path + "/plot.svg")
        try FileManager.default.createDirectory(atPath: folder.path + "/sub", withIntermediateDirectories: false)
        try destination.check()
        try FileManager.default.removeItem(atPath: folder.path + "/sub")
        let refusal = #expect(throws: CommandFailure.self) { try destination.publish(report) }
        #expect(refusal?.status == .outputNotWritable)
        #expect(names == [])
    }

    @Test(arguments: ["/no/such/folder", "/proc", "/dev/null"]) func `a folder that cannot be written to: 16`(
        path: String
    ) {
        let refusal = #expect(throws: CommandFailure.self) { try SoundDestination(folder: path, plot: nil).check() }
        #expect(refusal?.status == .outputNotWritable)
        #expect(refusal?.cause.hasPrefix("\(path) cannot be written to: ") == true)
    }

    @Test(arguments: [("p.png", "p.svg"), ("p", "p.svg"), ("a.b/p.jpeg", "a.b/p.svg"), (".p", ".p.svg")])
    func `a plot that is not named as an SVG is refused before anything is asked`(name: String, right: String) {
        let refusal = #expect(throws: CommandFailure.self) {
            try SoundDestination(folder: folder.path, plot: name).check()
        }
        #expect(refusal == .usage("the plot is an SVG", remedy: "--plot \(right)"))
        #expect(names == [])
    }

    @Test func `a WAV's name is no folder, but for a folder of that name`() throws {
        let destination = SoundDestination(folder: folder.path + "/take.WAV", plot: nil)
        let refusal = #expect(throws: CommandFailure.self) { try destination.check() }
        #expect(refusal?.status == .usage)
        #expect(refusal?.remedy == "--output \(folder.path)")
        try FileManager.default.createDirectory(atPath: destination.folder, withIntermediateDirectories: false)
        try destination.check()
    }

    @Test func `the check leaves nothing behind`() throws {
        try destination(plot: "plot.svg").check()
        #expect(names == [])
    }
}
