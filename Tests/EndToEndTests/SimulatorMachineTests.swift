import Glibc
import TestSupport
import Testing

/// A machine on which `espurr-sim` cannot do its job.
@Suite struct SimulatorMachineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ environment: [String: String] = [:], _ words: String...) async throws -> BuiltProgram.Output {
        let base = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path]
        return try await BuiltProgram("espurr-sim").run(
            words.isEmpty ? ["run", "--", "true"] : words, environment: base.merging(environment) { _, new in new })
    }

    /// A folder for PATH with a `dbus-daemon` of this text. Another process writes it: what this one writes may be open in
    /// the child of a test beside this one, and cannot be run as long as it is.
    private func daemon(_ text: String) async throws -> [String: String] {
        let path = folder.path + "/bin"
        let script = #"mkdir "$1" && printf '%s' "$2" > "$1/dbus-daemon" && chmod 755 "$1/dbus-daemon""#
        let made = try await BuiltProgram(path: "/bin/sh").run(
            ["-c", script, "sh", path, text], environment: ["PATH": "/usr/bin:/bin"])
        #expect(made.status == 0, "\(made.messages)")
        return ["PATH": "\(path):/usr/bin:/bin"]
    }

    /// One line of cause, one of remedy, and nothing of how an error is written in Swift.
    private func expect(
        _ output: BuiltProgram.Output, _ status: Int32, _ cause: String, _ remedy: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(output.status == status, sourceLocation: location)
        let lines = output.messages.split(separator: "\n")
        #expect(lines.count == 2, "\(output.messages)", sourceLocation: location)
        #expect(lines.first?.hasPrefix("espurr-sim: " + cause) == true, "\(output.messages)", sourceLocation: location)
        #expect(lines.last?.hasPrefix("  → " + remedy) == true, "\(output.messages)", sourceLocation: location)
    }

    @Test(arguments: ["a b", "a;b,c=d%20", "é&<x>'\"", "*\\"])
    func `the bus lies in a folder of any name`(name: String) async throws {
        let base = folder.path + "/" + name
        try #require(mkdir(base, 0o700) == 0)
        let read = try await run(["TMPDIR": base], "run", "-q", "--", "espurr-ctl", "get", "brightness")
        #expect(read.status == 0 && read.output == "60\n", "\(read.messages)")
        let starting = try await run(["TMPDIR": base], "run", "-q", "--fault", "activatable-daemon", "--", "true")
        #expect(starting.status == 0, "\(starting.messages)")
    }

    @Test func `no dbus-daemon in PATH`() async throws {
        expect(
            try await run(["PATH": folder.path]), 10, "there is no dbus-daemon in PATH",
            "install it (Debian: apt install dbus-daemon)")
    }

    @Test func `a dbus-daemon that ends at once says why`() async throws {
        expect(
            try await run(daemon("#!/bin/sh\necho 'no way' >&2; exit 1\n")), 10,
            "the private dbus-daemon did not start: no way", "install the package dbus-daemon anew")
    }

    @Test func `a dbus-daemon that cannot be run`() async throws {
        expect(
            try await run(daemon("#!/nonexistent/interpreter\n")), 10, "the private dbus-daemon did not start: ",
            "install the package dbus-daemon anew")
    }

    @Test func `a dbus-daemon that says it listens and does not`() async throws {
        expect(
            try await run(daemon("#!/bin/sh\necho unix:path=/nonexistent >&3; exec sleep 60\n")), 10,
            "the private message bus cannot be reached: Failed to connect to socket ", "try again; ")
    }

    @Test func `a libdbus that cannot be loaded`() async throws {
        try folder.write("no library", to: "libdbus-1.so.3")
        expect(
            try await run(["LD_LIBRARY_PATH": folder.path]), 10, "libdbus cannot be used: ",
            "install it (Debian: apt install libdbus-1-3)")
    }

    @Test func `no folder for the run`() async throws {
        let file = try folder.write("", to: "file")
        for (base, reason) in [("/nonexistent", "No such file or directory"), (file, "Not a directory")] {
            expect(
                try await run(["TMPDIR": base]), 16, "no folder for the run can be made in \(base): \(reason)",
                "TMPDIR=DIR names another folder")
        }
    }

    @Test func `a path that cannot be written to, and a command that is none`() async throws {
        let file = try folder.write("", to: "file")
        let remedy = "give a path in a folder that is there"
        expect(
            try await run([:], "run", "--state", file, "--", "true"), 16,
            "\(file) cannot be used: Not a directory", remedy)
        expect(
            try await run([:], "run", "--dump-flash", file + "/x", "--", "true"), 16,
            "\(file)/x cannot be used: Not a directory", remedy)
        expect(try await run([:], "catalogue", file + "/x"), 16, "\(file)", remedy)
        expect(
            try await run([:], "run", "--", "nonexistent"), 2,
            "“nonexistent” cannot be started: No such file or directory", "a program in PATH")
    }
}
