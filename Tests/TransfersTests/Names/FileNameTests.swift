// SPDX-License-Identifier: Apache-2.0
//
// FileNameTests: which source wins, what is left of dangerous names, and how long names are cut.

import Chance
import Testing

@testable import Transfers

/// Decodes just the byte sequences of the cases, so that these tests need no C library.
private func decodeSamples(_ bytes: [UInt8], _ charset: String) -> String? {
  let samples: [String: [String: String]] = [
    "GB18030": [
      "\u{D6}\u{D0}\u{CE}\u{C4}\u{CE}\u{C4}\u{BC}\u{FE}\u{C3}\u{FB}.rar": "中文文件名.rar",
      "\u{D6}\u{D0}.txt": "中.txt",
    ],
    "CP932": [
      "\u{83}e\u{83}X\u{83}g\u{95}\\.txt": "テスト表.txt",
      "\u{83}e\u{83}X\u{83}g\u{95}\\": "テスト表",
    ],
  ]
  let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  return samples[charset]?[text]
}

private func choose(
  user: String? = nil,
  _ disposition: [UInt8]? = nil,
  redirect: String? = nil,
  final: String = "/from-url.bin",
  first: String = "/first.bin"
) -> String {
  FileName.choose(
    userName: user,
    disposition: disposition,
    redirectDisposition: redirect.map { Array($0.utf8) },
    finalPath: final,
    firstPath: first,
    decode: decodeSamples
  )
}

/// The rules that hold for every name that came from outside.
private func isSafe(_ name: String) -> Bool {
  let scalars = name.unicodeScalars
  return !name.isEmpty && name.utf8.count <= 250 && !name.hasPrefix(".") && !name.hasPrefix("-")
    && !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "/" }
}

@Suite("File names")
struct FileNameTests {
  @Test(
    "A Content-Disposition gives the name a browser would give",
    arguments: DispositionCase.syntax + DispositionCase.coding + DispositionCase.danger
  )
  func dispositionGivesName(_ sample: DispositionCase) {
    #expect(choose(sample.header) == sample.name)
  }

  @Test("The better source wins")
  func betterSourceWins() {
    let header = Array("attachment; filename=header.bin".utf8)
    let redirect = "attachment; filename=redirect.bin"
    #expect(choose(user: "mine.bin", header, redirect: redirect) == "mine.bin")
    #expect(choose(header, redirect: redirect) == "header.bin")
    #expect(choose(redirect: redirect) == "redirect.bin")
    #expect(choose(Array("inline".utf8), redirect: redirect) == "redirect.bin")
    #expect(choose() == "from-url.bin")
    #expect(choose(final: "/") == "first.bin")
    #expect(choose(final: "/..", first: "/") == "download")
    #expect(choose(final: "", first: "") == "download")
  }

  @Test(
    "A path gives its last part, decoded once",
    arguments: [
      ("/name/it%27s.bin", "it's.bin"),
      ("/a/b%20c.iso", "b c.iso"),
      ("/a/b/", "b"),
      ("/name/%2e%2e%2fx", "x"),
      ("/name/pct%2Fslash.bin", "slash.bin"),
      ("/name/.bashrc", "_bashrc"),
      ("/name/-rf", "_-rf"),
      ("/a/%252F.bin", "%2F.bin"),
      ("/a/100%.bin", "100%.bin"),
      ("/a/%E6%B8%AC.bin", "測.bin"),
      ("/a/%D6%D0%CE%C4%CE%C4%BC%FE%C3%FB.rar", "中文文件名.rar"),
      ("/a/%0d%0aX.bin", "__X.bin"),
      ("/a/x+y.bin", "x+y.bin"),
    ]
  )
  func pathGivesLastPart(_ path: String, _ name: String) {
    #expect(choose(final: path) == name)
  }

  @Test("What the user typed stays, as far as it can be a name")
  func typedNameStays() {
    #expect(choose(user: ".hidden") == ".hidden")
    #expect(choose(user: "-x") == "-x")
    #expect(choose(user: "a\\b.txt") == "a\\b.txt")
    #expect(choose(user: "a/b.txt") == "b.txt")
    #expect(choose(user: "tab\there") == "tab_here")
    #expect(choose(user: "..") == "from-url.bin")
    #expect(choose(user: "") == "from-url.bin")
  }

  @Test("Any bytes give a safe name", arguments: 0..<40)
  func anyBytesGiveSafeName(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      for opening in ["attachment; filename=\"", "a; filename=", "a; filename*=UTF-8''", ""] {
        let name = choose(Array(opening.utf8) + bytes)
        #expect(isSafe(name), "\(opening)\(bytes)")
        #expect(isSafe(FileName.numbered(name, 7)), "\(opening)\(bytes)")
      }
    }
  }
}

@Suite("Long file names")
struct LongFileNameTests {
  private func named(_ name: String) -> String {
    choose(Array("attachment; filename=\"\(name)\"".utf8))
  }

  @Test("A long name keeps its extension and leaves room for the partial suffix")
  func longNameKeepsExtension() {
    let ascii = named(String(repeating: "a", count: 300) + ".tar.gz")
    #expect(ascii.utf8.count == 250)
    #expect(ascii.hasSuffix(".tar.gz"))
    let wide = named(String(repeating: "長", count: 120) + ".mp4")
    #expect((248...250).contains(wide.utf8.count))
    #expect(wide.hasSuffix(".mp4") && wide.hasPrefix("長長"))
  }

  @Test("A name of 250 bytes is not cut")
  func longestNameIsKept() {
    let name = String(repeating: "b", count: 246) + ".bin"
    #expect(named(name) == name)
    #expect((name + FileName.partialSuffix).utf8.count == 255)
  }

  @Test("Characters made of several scalars are kept whole while one fits")
  func clustersStayWhole() {
    let family = "👩‍👩‍👧"
    let name = named(String(repeating: family, count: 30) + ".txt")
    #expect(name.prefix { $0 != "-" }.allSatisfy { String($0) == family })
    let tower = "e" + String(repeating: "\u{301}", count: 300)
    #expect(named(tower + ".txt").utf8.count <= 250)
    #expect(named(tower + ".txt").hasSuffix(".txt"))
  }

  @Test("Long names with one beginning stay apart, and a name is always cut alike")
  func longNamesStayApart() {
    let beginning = String(repeating: "x", count: 260)
    #expect(named(beginning + "1.iso") != named(beginning + "2.iso"))
    #expect(named(beginning + "1.iso") == named(beginning + "1.iso"))
  }

  @Test(
    "A number stands before the extension",
    arguments: [
      ("name.ext", "name (1).ext"), ("a.tar.gz", "a (1).tar.gz"),
      ("data.csv.xz", "data (1).csv.xz"),
      ("noext", "noext (1)"), ("v1.2.gz", "v1.2 (1).gz"), (".hidden", ".hidden (1)"),
      ("a.b c", "a.b c (1)"), ("x.mkv.part", "x.mkv (1).part"), ("測試.bin", "測試 (1).bin"),
      ("a.tar.gz.asc", "a.tar (1).gz.asc"),
    ]
  )
  func numberStandsBeforeExtension(_ name: String, _ numbered: String) {
    #expect(FileName.numbered(name, 1) == numbered)
  }

  @Test("A numbered long name still fits and differs from its neighbours")
  func numberedLongNamesFit() {
    let name = named(String(repeating: "c", count: 300) + ".tar.gz")
    let names = Set([name] + (1...200).map { FileName.numbered(name, $0) })
    #expect(names.count == 201)
    #expect(names.allSatisfy { $0.utf8.count <= 250 && $0.hasSuffix(".tar.gz") })
  }
}
