// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Where libdbus has its headers. Not `pkgConfig` of the system library, which links it too: DBusShim loads it.
let headersOfDBus: [String] = {
    let (program, output) = (Process(), Pipe())
    program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    program.arguments = ["pkg-config", "--cflags-only-I", "dbus-1"]
    program.standardOutput = output
    guard (try? program.run()) != nil else { return [] }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).map(String.init)
}()

/// What is built for release holds Swift's runtime (as by `--static-swift-stdlib`): it starts faster, and runs where there is
/// no Swift. Objects for the one do not link with the other, so all of them are built for it.
let runtimeWithin = ["-static-stdlib"]
let linkingRuntime: LinkerSetting = .unsafeFlags(runtimeWithin, .when(configuration: .release))

/// Metadata of a generic type is asked for by a call and not by reading the type's mangled name: quicker for types that a
/// command uses once, and a command has little else (decision 23).
let typesByCall = ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"]

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // An asynchronous function that belongs to no actor runs where its caller runs, without a change of threads.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(runtimeWithin + typesByCall, .when(configuration: .release)),
    .unsafeFlags(headersOfDBus.flatMap { ["-Xcc", $0] }),
]

/// What only their own start costs the commands: libstdc++ and libgcc within them where Swift's runtime is, and not two
/// libraries more to load.
let linking: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld", "-L\(Context.packageDirectory)/Sources/Linking", "-Xclang-linker", "-static-libgcc"]),
    linkingRuntime,
]

/// A module of the product: strict, below `Sources`.
func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func command(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: linking)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], linking: [LinkerSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: strict,
        linkerSettings: linking)
}

let package = Package(
    name: "espurr-tools",
    products: [
        .executable(name: "espurr-ota", targets: ["espurr-ota"]),
        .executable(name: "espurr-ctl", targets: ["espurr-ctl"]),
        .executable(name: "espurr-sim", targets: ["espurr-sim"]),
    ],
    targets: [
        // One module per C library.
        .systemLibrary(name: "CDBus", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // libdbus and libcurl are not linked: these load them with the first connection and the first request.
        .target(name: "DBusShim", dependencies: ["LoadedLibrary"], cSettings: [.unsafeFlags(headersOfDBus)]),
        .target(name: "LoadedLibrary"),
        .target(name: "CurlShim", dependencies: ["CCurl", "LoadedLibrary"]),
        // What blocks gets a thread of its own.
        module("Threads", []),
        module("DBus", ["CDBus", "DBusShim", "Threads"]),
        module("Crypto", ["CCrypto"]),
        module("Download", ["CCurl", "CurlShim", "Threads"]),

        // Files that appear whole or not at all.
        module("DurableFiles", []),

        // One per format.
        module("Catalogue", ["Crypto", "Download", "DurableFiles", "Threads"]),
        module("Firmware", ["Crypto", "DurableFiles"]),
        module("ControlProtocol", []),
        module("AudioExport", []),

        // One for the radio, one per device.
        module("Bluetooth", ["DBus"]),
        // Keeps this machine awake meanwhile.
        module("Logind", ["DBus"]),
        module("Ears", ["Bluetooth", "ControlProtocol", "Crypto", "DurableFiles"]),
        module("FirmwareUpdate", ["Catalogue", "Firmware", "Ears", "DurableFiles"]),

        // The ears in software, and what is around them.
        module(
            "Simulator", ["ControlProtocol", "DBus", "Crypto", "DurableFiles", "Threads"],
            resources: ["root.1", "root.2", "snapshot.1", "targets.1", "timestamp"].map {
                .embedInCode("DemonstrationRepository/\($0).json")
            }),

        // The edge: arguments, words, exit statuses.
        .target(name: "ProcessShim"),
        module("CommandLineTools", ["DurableFiles", "ProcessShim", "Threads"]),
        module(
            "EarsCommandLine",
            ["CommandLineTools", "Ears", "Bluetooth", "ControlProtocol", "DurableFiles", "AudioExport", "Crypto"]),
        module(
            "FirmwareCommandLine",
            [
                "CommandLineTools", "EarsCommandLine", "FirmwareUpdate", "Catalogue", "Firmware", "Ears", "Download",
                "DurableFiles", "ControlProtocol", "Logind",
            ]),
        command(
            "espurr-ota",
            [
                "CommandLineTools", "EarsCommandLine", "FirmwareCommandLine", "FirmwareUpdate", "Catalogue", "Firmware",
                "Ears", "Bluetooth", "ControlProtocol", "DurableFiles", "Download",
            ]),
        command(
            "espurr-ctl",
            [
                "CommandLineTools", "EarsCommandLine", "FirmwareCommandLine", "Ears", "Bluetooth", "ControlProtocol",
                "DurableFiles",
            ]),
        // Driven by the TUF conformance suite; no product.
        command("espurr-tuf-conformance", ["Catalogue", "Download", "DurableFiles"]),
        command("espurr-sim", ["CommandLineTools", "Simulator"]),

        // The simulated ears for a Bluetooth stack that is not ours (Tests/RadioTests); not a product.
        command("espurr-ears-pipe", ["Simulator", "ControlProtocol"]),

        // Every fault at every step of an update, in virtual time; not a product.
        .executableTarget(
            name: "espurr-fault-matrix",
            dependencies: [
                "FirmwareUpdate", "Firmware", "Ears", "Bluetooth", "ControlProtocol", "Simulator", "EarsInVirtualTime",
            ],
            path: "Tests/FaultMatrix", swiftSettings: strict, linkerSettings: [linkingRuntime]),

        // The product's uploads over a modelled link, beside what the link can carry; not a product.
        .executableTarget(
            name: "espurr-link-speed",
            dependencies: [
                "FirmwareUpdate", "Firmware", "Ears", "Bluetooth", "ControlProtocol", "Simulator", "EarsInVirtualTime",
            ],
            path: "Tests/LinkSpeed", exclude: ["ceiling.py"], swiftSettings: strict, linkerSettings: [linkingRuntime]),

        // A clock that leaps, firmware of any size, and the simulated ears in the words of Bluetooth, for both of them.
        .target(
            name: "EarsInVirtualTime", dependencies: ["Bluetooth", "ControlProtocol", "Firmware", "Simulator"],
            path: "Tests/EarsInVirtualTime", swiftSettings: strict),

        // What the client asks of BlueZ, for bluetoothd (Tests/RadioTests) and the simulated one (ContractTests).
        .executableTarget(
            name: "espurr-bluez-contract", dependencies: ["Bluetooth", "DBus"], path: "Tests/BlueZContract",
            exclude: ["differences.tsv"], swiftSettings: strict, linkerSettings: [linkingRuntime]),
        // The same writes without the product, to compare its speed with.
        .executableTarget(
            name: "espurr-bluez-floor", path: "Tests/BlueZFloor", cSettings: [.unsafeFlags(headersOfDBus)],
            linkerSettings: [.linkedLibrary("dbus-1"), linkingRuntime]),
        tests("ContractTests", ["Simulator", "DBus"]),

        .target(
            name: "TestSupport", dependencies: ["DBus", "Bluetooth", "ControlProtocol"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("DurableFilesTests", ["DurableFiles"]),
        tests("ThreadsTests", ["Threads"]),
        tests("CryptoTests", ["Crypto"]),
        tests("DownloadTests", ["Download"]),
        tests("CatalogueTests", ["Catalogue", "Crypto", "CCrypto", "Download", "DurableFiles"]),
        .target(
            name: "ImageInvariants", dependencies: ["Firmware", "Crypto"], path: "Tests/Fuzzing/ImageInvariants",
            swiftSettings: strict),
        tests("FirmwareTests", ["Firmware", "Crypto", "ImageInvariants"]),
        .target(
            name: "MessageInvariants", dependencies: ["ControlProtocol"], path: "Tests/Fuzzing/MessageInvariants",
            swiftSettings: strict),
        tests(
            "ControlProtocolTests", ["ControlProtocol", "MessageInvariants"],
            exclude: ["Fixtures", "make-fixtures.sh"]),
        tests("AudioExportTests", ["AudioExport"]),
        tests("DBusTests", ["DBus", "CDBus", "Threads"], linking: [.linkedLibrary("dbus-1")]),
        tests("BluetoothTests", ["Bluetooth", "DBus"]),
        tests("LogindTests", ["Logind", "DBus"]),
        tests("EarsTests", ["Ears", "Bluetooth", "ControlProtocol"], exclude: ["Fixtures"]),
        tests(
            "FirmwareUpdateTests", ["FirmwareUpdate", "Catalogue", "Firmware", "Ears", "Bluetooth", "ControlProtocol"]),
        tests(
            "FirmwareCommandLineTests",
            [
                "FirmwareCommandLine", "FirmwareUpdate", "Firmware", "CommandLineTools", "Catalogue", "Download",
                "EarsCommandLine", "Ears", "Bluetooth", "ControlProtocol",
            ]),
        tests("SimulatorTests", ["Simulator", "ControlProtocol", "DBus", "Crypto", "Threads"]),
        tests("CommandLineToolsTests", ["CommandLineTools"]),
        tests(
            "EarsCommandLineTests",
            ["EarsCommandLine", "CommandLineTools", "Ears", "Bluetooth", "ControlProtocol", "AudioExport"]),
        tests("CommandTests", ["ControlProtocol", "Ears"], exclude: ["Snapshots"]),
        tests(
            "EndToEndTests",
            ["Bluetooth", "Ears", "ControlProtocol", "Crypto", "DBus"], exclude: ["Transcripts"]),
    ],
    swiftLanguageModes: [.v6]
)

// For Tests/Fuzzing/run alone: libFuzzer brings the entry point. The catalogue's invariants are the tests' own, which is
// why a package has either them or the harnesses: a module that looks inside another cannot be built for release.
if Context.environment["ESPURR_FUZZING"] != nil {
    package.targets.removeAll { $0.type == .test }
    package.targets.append(
        .target(
            name: "CatalogueInvariants", dependencies: ["Catalogue"], path: "Tests/CatalogueTests/Invariants",
            swiftSettings: strict))
    let harnesses = [
        ("JSONReader", "CatalogueInvariants"), ("MetadataReader", "CatalogueInvariants"),
        ("PathPattern", "CatalogueInvariants"), ("Messages", "MessageInvariants"),
        ("Images", "ImageInvariants"),
    ]
    for (harness, invariants) in harnesses {
        package.targets.append(
            .executableTarget(
                name: "Fuzz\(harness)", dependencies: [.init(stringLiteral: invariants)],
                path: "Tests/Fuzzing/\(harness)",
                swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
    }
}
