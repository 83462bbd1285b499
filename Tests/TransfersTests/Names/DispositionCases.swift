// SPDX-License-Identifier: Apache-2.0
//
// DispositionCases: Content-Disposition headers as servers send them, and the name each must give.
//
// A header is written as text with one scalar for each byte, so `\u{FC}` is the byte 0xFC; the ones
// with `utf8: true` are sent as UTF-8.

import Testing

/// One header and the name that must come out of it.
struct DispositionCase: Sendable, CustomTestStringConvertible {
  let header: [UInt8]
  let name: String

  /// The name expected where the header has none of use.
  static let fromURL = "from-url.bin"

  init(_ header: String, _ name: String, utf8: Bool = false) {
    self.header =
      utf8
      ? Array(header.utf8)
      : header.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    self.name = name
  }

  var testDescription: String { String(decoding: header.prefix(80), as: UTF8.self) }

  static let syntax = [
    DispositionCase("attachment; filename=\"report.pdf\"", "report.pdf"),
    DispositionCase("attachment; filename=report.pdf", "report.pdf"),
    DispositionCase("inline; filename=\"report.pdf\"", "report.pdf"),
    DispositionCase("ATTACHMENT; FileName=\"Report.PDF\"", "Report.PDF"),
    DispositionCase("filename=report.pdf", "report.pdf"),
    DispositionCase("attachment; filename=\"a \\\"b\\\" c.txt\"", "a \"b\" c.txt"),
    DispositionCase("attachment; filename=\"a; b=c.txt\"", "a; b=c.txt"),
    DispositionCase(
      "attachment; filename=Map049 - Skill (A, B).rar",
      "Map049 - Skill (A, B).rar"
    ),
    DispositionCase("attachment; filename=\"opensmile.tar.gz\";", "opensmile.tar.gz"),
    DispositionCase("attachment; filename=opensmile.tar.gz ; ;", "opensmile.tar.gz"),
    DispositionCase("attachment ; filename = \"x y.bin\"", "x y.bin"),
    DispositionCase("attachment; size=3; filename=\"x.bin\"; creation-date=\"x;y\"", "x.bin"),
    DispositionCase("attachment; filename=\"first.bin\"; filename=\"second.bin\"", "first.bin"),
    DispositionCase("attachment; filename=\"no-end.bin", "no-end.bin"),
    DispositionCase("attachment; filename=\"\"", fromURL),
    DispositionCase("attachment; filename=\"   \"", fromURL),
    DispositionCase("attachment; filename=", fromURL),
    DispositionCase("attachment", fromURL),
    DispositionCase("", fromURL),
    DispositionCase("attachment; filename=\"name.txt  \"", "name.txt"),
    DispositionCase("attachment; filename=\"name.txt.\"", "name.txt"),
    DispositionCase("attachment; filename=\"CON.txt\"", "CON.txt"),
    DispositionCase("attachment; filename=\"movie.mkv.part\"", "movie.mkv.part"),
  ]

  static let coding = [
    DispositionCase(
      "attachment; filename*=UTF-8''%e6%b8%ac%e8%a9%a6%20%e2%82%ac.bin",
      "測試 €.bin"
    ),
    DispositionCase("attachment; filename*=ISO-8859-1'en'na%EFve.txt", "naïve.txt"),
    DispositionCase(
      "attachment; filename=\"fallback.bin\"; filename*=UTF-8''%E6%AD%A3.bin",
      "正.bin"
    ),
    DispositionCase(
      "attachment; filename*=UTF-8''%E6%AD%A3.bin; filename=\"fallback.bin\"",
      "正.bin"
    ),
    DispositionCase(
      "attachment; filename=\"good.bin\"; filename*=UTF-8''%FF%FE%GG.bin",
      "good.bin"
    ),
    DispositionCase("attachment; filename=\"good.bin\"; filename*=UTF-8''%FF.bin", "good.bin"),
    DispositionCase("attachment; filename=\"good.bin\"; filename*=NO-SUCH''x.bin", "good.bin"),
    DispositionCase("attachment; filename=\"good.bin\"; filename*=UTF-8''..", "good.bin"),
    DispositionCase("attachment; filename*=\"UTF-8''%E6%AD%A3.bin\"", "正.bin"),
    DispositionCase("attachment; filename=\"%E6%B8%AC%E8%A9%A6.bin\"", "測試.bin"),
    DispositionCase("attachment; filename=\"100%25 wool.txt\"", "100% wool.txt"),
    DispositionCase("attachment; filename=\"100% wool.txt\"", "100% wool.txt"),
    DispositionCase("attachment; filename=\"a%2525b.txt\"", "a%25b.txt"),
    DispositionCase("attachment; filename=\"a%FFb.txt\"", "a%FFb.txt"),
    DispositionCase("attachment; filename=\"=?UTF-8?B?5ris6Kmm?=.bin\"", "測試.bin"),
    DispositionCase("attachment; filename=\"=?utf-8?q?na=C3=AFve_5%?=.bin\"", "naïve 5%.bin"),
    DispositionCase("attachment; filename=\"=?UTF-8?B?5ris?= =?UTF-8?B?6Kmm?=.bin\"", "測試.bin"),
    DispositionCase("attachment; filename=\"=?UTF-8?X?5ris?=.bin\"", "=?UTF-8?X?5ris?=.bin"),
    DispositionCase("attachment; filename=\"=?half.bin\"", "=?half.bin"),
    DispositionCase("attachment; filename=\"中文文件名.rar\"", "中文文件名.rar", utf8: true),
    DispositionCase("attachment; filename=\"M\u{FC}ller \u{DF}.txt\"", "Müller ß.txt"),
    DispositionCase("attachment; filename=\"F\u{FC}\u{DF}e.txt\"", "Füße.txt"),
    DispositionCase(
      "attachment; filename=\"\u{D6}\u{D0}\u{CE}\u{C4}\u{CE}\u{C4}\u{BC}\u{FE}\u{C3}\u{FB}.rar\"",
      "中文文件名.rar"
    ),
    DispositionCase(
      "attachment; filename=\"\u{83}e\u{83}X\u{83}g\u{95}\\.txt\"",
      "テスト表.txt"
    ),
    DispositionCase("attachment; filename=\"\u{83}e\u{83}X\u{83}g\u{95}\\\"; x=y", "テスト表"),
    DispositionCase("attachment; filename*=GB18030''%D6%D0.txt", "中.txt"),
    DispositionCase(
      "attachment; filename*=UTF-8''%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%20%C3%A9.txt",
      "👩‍👩 é.txt"
    ),
  ]

  static let danger = [
    DispositionCase("attachment; filename=\"../../evil.sh\"", "evil.sh"),
    DispositionCase("attachment; filename=\"..\"", fromURL),
    DispositionCase("attachment; filename=\".\"", fromURL),
    DispositionCase("attachment; filename=\"...\"", fromURL),
    DispositionCase("attachment; filename=\"sub/..\"", fromURL),
    DispositionCase("attachment; filename=\"sub/\"", fromURL),
    DispositionCase("attachment; filename*=UTF-8''..%2F..%2Fevil2.sh", "evil2.sh"),
    DispositionCase("attachment; filename=\"..%2F..%2Fevil2.sh\"", "evil2.sh"),
    DispositionCase("attachment; filename=\"/tmp/evil3.sh\"", "evil3.sh"),
    DispositionCase("attachment; filename=\"..\\\\..\\\\evil4.exe\"", "evil4.exe"),
    DispositionCase("attachment; filename=\"C:\\dir\\evil4.exe\"", "evil4.exe"),
    DispositionCase("attachment; filename=\"sub/dir/file.bin\"", "file.bin"),
    DispositionCase("attachment; filename=\".bashrc\"", "_bashrc"),
    DispositionCase("attachment; filename=\" .bashrc\"", "_bashrc"),
    DispositionCase("attachment; filename=\"-rf.txt\"", "_-rf.txt"),
    DispositionCase("attachment; filename=\"~/evil5\"", "evil5"),
    DispositionCase("attachment; filename*=UTF-8''line1%0Aline2.txt", "line1_line2.txt"),
    DispositionCase("attachment; filename*=UTF-8''safe.txt%00.exe", "safe.txt_.exe"),
    DispositionCase("attachment; filename=\"a\u{1B}]0;pwned\u{07}b.txt\"", "a_]0;pwned_b.txt"),
    DispositionCase(
      "attachment; filename=\"\u{1B}[2J\u{1B}[1;1Hgone.txt\"",
      "_[2J_[1;1Hgone.txt"
    ),
    DispositionCase("attachment; filename*=UTF-8''x%1B%5B31mred.txt", "x_[31mred.txt"),
    DispositionCase("attachment; filename*=UTF-8''x%C2%9B31mred.txt", "x_31mred.txt"),
    DispositionCase("attachment; filename*=UTF-8''a%E2%80%AEgpj.exe", "a_gpj.exe"),
  ]
}
