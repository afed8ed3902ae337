import Testing
import TestSupport

/// What the dynamic linker would load with a command (`LD_TRACE_LOADED_OBJECTS`, ld.so(8)).
@Suite struct StartTests {
    @Test(arguments: Commands.names, ["libdbus-1.so", "libcurl.so"])
    func `a command starts without what it may not need`(command: String, library: String) async throws {
        let loaded = try await BuiltProgram(command).run(
            ["--version"], environment: ["LD_TRACE_LOADED_OBJECTS": "1"]
        ).output
        #expect(loaded.contains("libc.so"))
        #expect(!loaded.contains(library))
    }
}
