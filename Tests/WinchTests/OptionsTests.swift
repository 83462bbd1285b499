// SPDX-License-Identifier: Apache-2.0
//
// OptionsTests: what command lines mean, and what bad ones are told.

import Testing
import Transfers

@testable import winch

private let link = "https://a.example/x.iso"
private let digest = String(repeating: "0123456789abcdef", count: 4)

private func options(_ words: String...) throws -> Options {
  try Options(parsing: words)
}

/// The line that a bad command line is answered with; nil when it is accepted.
private func refusal(_ words: [String]) -> String? {
  do throws(OptionError) {
    _ = try Options(parsing: words)
    return nil
  } catch {
    return error.line
  }
}

@Suite("Options")
struct OptionsTests {
  @Test("No words open the screen with the defaults")
  func noWords() throws {
    #expect(try options() == Options())
    #expect(try options(link).links == [link])
  }

  @Test("Links and options mix, and only the first word can be a command")
  func wordsMix() throws {
    let mixed = try options("get", link, "-n", "4", "https://b.example/", "--state=/tmp/s")
    #expect(mixed.command == .get)
    #expect(mixed.links == [link, "https://b.example/"])
    #expect(mixed.connections == .fixed(4))
    #expect(mixed.stateDirectory == "/tmp/s")
    #expect(try options("--state", "s", "get", link).command == .get)
    #expect(try options(link, "get").links == [link, "get"])
    #expect(try options("get", "--", "-n", "x").links == ["-n", "x"])
  }

  @Test("Every option sets its field")
  func everyOption() throws {
    let words = """
      -d dir -o name.iso -n 16 -j7 -H A:b --header=C:d:e --checksum sha-256:\(digest) \
      --mirror https://m.example/ --limit-rate 1M --cookies jar -k --state s \
      --color never --find-checksum --ascii --start-at=2030-01-31T06:00 --only-between 22:00-06:00 \
      --quota 20G \(link)
      """
    let all = try Options(parsing: words.split(separator: " ").map(String.init))
    #expect(all.directory == "dir")
    #expect(all.name == "name.iso")
    #expect(all.connections == .fixed(16))
    #expect(all.jobs == 7)
    #expect(all.headers.map(\.name) == ["A", "C"])
    #expect(all.headers.map(\.value) == ["b", "d:e"])
    #expect(all.cookieFile == "jar")
    #expect(all.checksum?.hex == digest && all.findsChecksum)
    #expect(all.mirrors == ["https://m.example/"])
    #expect(all.rateLimit?.rate(at: LocalTime(WallTime(seconds: 0))) == 1_048_576)
    #expect(all.start == nil && all.hours?.text == "22:00-06:00" && all.quota?.bytes == 20 << 30)
    let begun = all.resolved(now: WallTime(seconds: 0), local: { LocalTime($0, offset: 3600) })
    #expect(begun.start == WallTime(seconds: 1_896_066_000))
    #expect(all.trust == .anything)
    #expect(all.stateDirectory == "s")
    #expect(all.color == .never)
    #expect(all.isASCII)
    let others = try options("-i", "one", "--input=-", "--cacert", "ca.pem", "-n", "auto")
    #expect(others.lists == ["one", "-"])
    #expect(others.trust == .file("ca.pem"))
    #expect(others.connections == .adaptive)
  }

  @Test("Long names may be shortened while they stay distinct")
  func longNamesShorten() throws {
    #expect(try options("--conn=2").connections == .fixed(2))
    #expect(refusal(["--c=2"])?.contains("no option --c") == true)
  }

  @Test("Help and version win over what follows")
  func helpWins() throws {
    #expect(try options("--help", "--bogus").command == .help)
    #expect(try options("-h").command == .help)
    #expect(try options("get", "--version").command == .version)
  }

  @Test("An output path is taken apart into directory and name")
  func outputPath() throws {
    #expect(try options("-o", "sub/x.iso", link).resolved(against: "/w").directory == "/w/sub")
    #expect(try options("-o", "sub/x.iso", link).name == "x.iso")
    #expect(
      try options("-d", "d", "-o", "s/x", link).resolved(against: "/w").directory == "/w/d/s"
    )
    #expect(try options("-d", "d", "-o", "/s/x", link).resolved(against: "/w").directory == "/s")
    #expect(try options("-o", "/x", link).resolved(against: "/w").directory == "/")
    #expect(try options("-o", "x", link).resolved(against: "/w").directory == "/w")
  }

  @Test("Paths become absolute, standard input stays")
  func pathsBecomeAbsolute() throws {
    let given = try options(
      "--cacert",
      "ca.pem",
      "--cookies=jar",
      "--state=/s",
      "-i",
      "-",
      "-i",
      "list"
    )
    let resolved = given.resolved(against: "/w")
    #expect(resolved.trust == .file("/w/ca.pem"))
    #expect(resolved.cookieFile == "/w/jar")
    #expect(resolved.stateDirectory == "/s")
    #expect(resolved.lists == ["-", "/w/list"])
    #expect(resolved.directory == "/w")
  }

  @Test(
    "Rates are read with their units",
    arguments: [
      ("500", 500), ("500K", 512_000), ("1.5M", 1_572_864), ("2MiB", 2_097_152),
      ("2MB/s", 2_000_000), ("1 g", 1_073_741_824), ("10b", 10), ("0.5k", 512), ("1.", nil),
      ("0", nil), ("", nil), ("K", nil), ("-1", nil), ("1X", nil), ("1KK", nil), ("1.2.3", nil),
      ("99999999T", nil), ("9999999999999999999", nil), ("0.1", nil), ("١K", nil), (".5M", nil),
    ] as [(String, Int64?)]
  )
  func ratesAreRead(_ text: String, _ bytes: Int64?) throws {
    let rate = bytes.map { ByteRate($0) }
    let all = try? Options(parsing: ["--limit-rate", text]).rateLimit
    #expect((all != nil) == (rate != nil))
    #expect(all?.rate(at: LocalTime(WallTime(seconds: 0))) == rate)
    #expect((try? Options(parsing: ["--limit-each", text]).limitEach) == rate)
  }

  @Test(
    "A checksum may be written in any case and with blanks",
    arguments: ["sha-256:", "SHA256: ", "Sha-256 :"]
  )
  func checksumSpellings(_ opening: String) throws {
    let given = try options("--checksum", opening + digest.uppercased(), link)
    #expect(given.checksum?.algorithm == .sha256)
    #expect(given.checksum?.hex == digest)
  }
}

@Suite("Bad options")
struct BadOptionsTests {
  @Test(
    "A bad command line is answered with one line that names the option and what to do",
    arguments: [
      (["--bogus"], "no option --bogus,"),
      (["--bogus=1"], "no option --bogus,"),
      (["-x"], "no option -x,"),
      (["-kx"], "no option -x,"),
      (["get", link, "-n"], "--connections needs a value"),
      (["--dir"], "--dir needs a value"),
      (["--insecure=yes"], "--insecure takes no value"),
      (["-n", "0"], "--connections '0': give a whole number from 1 to 16, or auto"),
      (["-n", "17"], "from 1 to 16"),
      (["-n", "four"], "from 1 to 16"),
      (["-j", "0"], "--jobs '0': give a whole number from 1 to 100"),
      (["-d", ""], "--dir '': give a path"),
      (["--color", "pink"], "give auto, always or never"),
      (["--limit-rate", "fast"], "--limit-rate 'fast': in 'fast' there is no rate; give bytes"),
      (["--limit-rate", "25:00,1M"], "'25:00,1M' has no time from 00:00 to 23:59"),
      (["--limit-each", "08:00,1M"], "--limit-each '08:00,1M': give bytes a second such as"),
      (["--start-at", "soon"], "--start-at 'soon': give a time such as 22:00"),
      (["--only-between", "22:00"], "--only-between '22:00': give two different times"),
      (["--quota", "0"], "--quota '0': give a size such as"),
      (["-H", "no colon"], "write it as 'Name: value'"),
      (["-H", "X-A: 1\r\nX-Evil: yes"], "a header is one line"),
      (["-H", "X-A: 1\n"], "a header is one line"),
      (["-H", "X-A: \u{1B}[2J"], "a header is one line of text"),
      (["-H", "X A: 1"], "no blanks in its name"),
      (["-H", ": 1"], "no blanks in its name"),
      (["-H", "Range: bytes=0-1"], "winch sets this header itself"),
      (["--cookies", ""], "--cookies '': give a path"),
      (["--checksum", "abc", link], "write a checksum as"),
      (["--checksum", "crc32:00", link], "no checksum algorithm 'crc32'"),
      (["--checksum", "md5:00", link], "MD5 has 32 digits, here are 2"),
      (["--checksum", "md5:zz", link], "only the digits"),
      (["get"], "nothing to fetch; give a link"),
      (["-o", "x"], "--output is about one file"),
      (["-o", "x", link, link], "--output is about one file"),
      (["-o", "x", link, "-i", "list"], "--output is about one file"),
      (["--checksum", "md5:" + digest.prefix(32), link, link], "--checksum is about one file"),
      (["--mirror", link], "--mirror is about one file"),
      (["-o", "dir/", link], "give the name of a file"),
      (["-o", "..", link], "give the name of a file"),
      (["-o", "-", link], "give the name of a file"),
      (["-k", "--cacert", "f"], "--cacert and --insecure exclude each other"),
    ]
  )
  func badCommandLine(_ words: [String], _ answer: String) throws {
    let line = try #require(refusal(words))
    #expect(line.contains(answer), "\(line)")
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
  }

  @Test(
    "A bad header is not repeated: it may be a login",
    arguments: ["Authorization Bearer s3cret", "X-Key: s3cret\u{7F}", "Range: s3cret"]
  )
  func headerIsNotRepeated(_ header: String) throws {
    let line = try #require(refusal(["-H", header]))
    #expect(line.hasPrefix("--header: ") && !line.contains("s3cret"))
  }

  @Test("An answer cannot move the cursor")
  func answerIsHarmless() throws {
    let line = try #require(refusal(["--\u{1B}[2J"]))
    #expect(!line.contains("\u{1B}"))
  }

  @Test("Command lines are scanned at once from many threads without mixing")
  func scansDoNotMix() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...64 {
        group.addTask {
          let words = ["get", "-j", "\(number)", "u\(number)", "-d", "d\(number)"]
          let options = try? Options(parsing: words)
          return options?.jobs == number && options?.links == ["u\(number)"]
            && options?.directory == "d\(number)"
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}

@Suite("Words in the process list")
struct ArgumentVectorTests {
  @Test(
    "What may hold a secret is hidden",
    arguments: [
      (link, false), ("http://a.example/x?version=2", false), ("get", false), ("--ascii", false),
      ("-n4", false), ("https://u:p@a.example/", true), ("http://u@a.example/", true),
      ("https://a.example/?token=x", true), ("u:p@a.example", true), ("a.example/?sig=x", true),
      ("X-Key: x", true), ("-HX-Key: x", true), ("--header=X-Key:x", true),
      ("--mirror=https://u:p@a.example/", true), ("ftp://u:p@a.example/", true),
    ]
  )
  func secretsAreHidden(_ word: String, _ isHidden: Bool) {
    #expect(ArgumentVector.mayHoldSecret(word) == isHidden)
  }
}

@Suite("Option table and help")
struct OptionTableTests {
  @Test("Each option has one row, and no letter is used twice")
  func tableIsComplete() {
    #expect(Set(OptionRow.all.map(\.name)) == Set(OptionName.allCases))
    #expect(OptionRow.all.count == OptionName.allCases.count)
    let letters = OptionRow.all.compactMap(\.letter)
    #expect(Set(letters).count == letters.count)
    #expect(letters.allSatisfy { $0.isASCII && $0.isLetter })
  }

  @Test("Help has a line for each option and exit status, none wider than 80 columns")
  func helpIsComplete() {
    let lines = Help.text.split(separator: "\n")
    for row in OptionRow.all {
      #expect(lines.contains { $0.contains("--\(row.name.rawValue)") && $0.hasSuffix(row.help) })
    }
    for status in ExitStatus.allCases {
      #expect(lines.contains { $0.hasSuffix("\(status.rawValue)  \(status.help)") })
    }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }
}
