// swift-tools-version: 6.2
// The package: one target for each layer, arrows downward only.
// `make layers` holds every import against the table in `scripts/check-layers`.

import PackageDescription

// Set by scripts/fuzz: libFuzzer's library, for a build whose every branch is watched. The package
// manager has no setting for that, so that build alone needs unsafe flags here and for the linker.
let fuzzer = Context.environment["WINCH_FUZZ"]

let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ] + (fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer"])])

func layer(_ name: String, _ imports: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: imports, swiftSettings: strict)
}

func tests(_ name: String, _ imports: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: imports, swiftSettings: strict)
}

let package = Package(
  name: "winch",
  products: [
    .executable(name: "winch", targets: ["winch"]),
    // For LD_PRELOAD in tests; no other target links it.
    .library(name: "DiskRecorder", type: .dynamic, targets: ["DiskRecorder"]),
    .library(name: "LoginShim", type: .dynamic, targets: ["LoginShim"]),
  ],
  targets: [
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CCrypto"),
    .systemLibrary(name: "CXXHash"),
    .systemLibrary(name: "CGetopt"),
    .systemLibrary(name: "CFiles"),
    .systemLibrary(name: "CExpat"),

    .target(
      name: "Transfers",
      swiftSettings: strict,
      // Every program links this target, and with it the library that takes what is watched.
      linkerSettings: fuzzer.map { [.unsafeFlags([$0, "-lstdc++"])] } ?? []
    ),
    layer("Workers"),
    layer("Connections", ["Transfers", "Workers", "CCurl"]),
    layer("Storage", ["Transfers", "CSQLite", "CCrypto", "CXXHash", "CFiles"]),
    layer("Engine", ["Transfers", "Workers", "Connections", "Storage"]),
    layer("Frames"),
    layer("Dashboard", ["Transfers", "Frames"]),
    layer("Terminal", ["Frames", "CNcurses"]),
    .executableTarget(
      name: "winch",
      dependencies: [
        "Transfers", "Workers", "Connections", "Storage", "Engine", "Frames", "Dashboard",
        "Terminal", "CGetopt", "CExpat",
      ],
      swiftSettings: strict
    ),

    .target(name: "Chance", path: "Tests/Support/Chance", swiftSettings: strict),
    .target(name: "CPty", path: "Tests/Support/CPty"),
    .target(name: "DiskRecorder", path: "Tests/Support/DiskRecorder"),
    // It is loaded into programs that know nothing of sanitizers.
    .target(
      name: "LoginShim",
      path: "Tests/Support/LoginShim",
      cSettings: [.unsafeFlags(["-fno-sanitize=all"])]
    ),
    // Optimised also in debug builds, for which there is no safe setting: it makes and compares most
    // of the bytes in tests, and make tsan would run into their deadlines. No program holds it.
    .target(
      name: "FaultServer",
      dependencies: ["CPty", "Workers"],
      path: "Tests/Support/FaultServer",
      swiftSettings: strict + [.unsafeFlags(["-O"])]
    ),
    .target(
      name: "CTLS",
      path: "Tests/Support/CTLS",
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]
    ),
    .executableTarget(
      name: "CrashingWriter",
      dependencies: ["Transfers", "Storage", "Chance"],
      path: "Tests/Support/CrashingWriter",
      swiftSettings: strict
    ),

    tests("TransfersTests", ["Transfers", "Chance"]),
    tests("WorkersTests", ["Workers"]),
    tests(
      "ConnectionsTests",
      ["Connections", "Transfers", "Workers", "CCurl", "FaultServer", "CTLS"]
    ),
    tests("StorageTests", ["Storage", "Transfers", "CrashingWriter"]),
    tests(
      "EngineTests",
      ["Engine", "Transfers", "Workers", "Connections", "Storage", "FaultServer", "Chance"]
    ),
    tests("FramesTests", ["Frames"]),
    tests("DashboardTests", ["Dashboard", "Transfers", "Frames"]),
    tests("TerminalTests", ["Terminal", "Frames", "CPty"]),
    tests("WinchTests", ["winch", "Transfers", "Connections", "Storage", "Dashboard", "Chance"]),
    tests("EndToEndTests", ["winch", "FaultServer", "CPty", "Storage", "Transfers", "Chance"]),

    .systemLibrary(name: "CFuzzer", path: "Tests/Support/CFuzzer"),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["winch", "Transfers", "Connections", "Storage", "Chance"]
        + (fuzzer == nil ? [] : ["CFuzzer"]),
      exclude: ["Seeds"],
      swiftSettings: strict + (fuzzer == nil ? [] : [.define("FUZZING")])
    ),
  ]
)
