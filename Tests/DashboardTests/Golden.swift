// SPDX-License-Identifier: Apache-2.0
//
// Golden: pictures kept as files: the text, then a layer of letters for the styles.
// `UPDATE_GOLDEN=1` writes them anew; a difference prints both pictures and the lines that differ.

import Frames
import Glibc
import Testing

enum Golden {
  private static let directory: String = {
    let path = #filePath
    return path[..<(path.lastIndex(of: "/") ?? path.endIndex)] + "/Golden/"
  }()

  /// Holds a canvas against the file of that name.
  static func expect(
    _ canvas: Canvas,
    is name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(picture(of: canvas), is: name, sourceLocation: sourceLocation)
  }

  /// Holds lines against the file of that name.
  static func expect(_ picture: [String], is name: String, sourceLocation: SourceLocation) {
    let path = directory + name + ".txt"
    if getenv("UPDATE_GOLDEN") != nil { return write(picture, to: path) }
    guard let wanted = read(path) else {
      Issue.record("no golden file \(path)", sourceLocation: sourceLocation)
      return
    }
    guard wanted != picture else { return }
    Issue.record(
      """
      \(name) is not as it was.
      --- wanted\n\(wanted.joined(separator: "\n"))
      --- drawn\n\(picture.joined(separator: "\n"))
      --- difference\n\(difference(wanted, picture).joined(separator: "\n"))
      """,
      sourceLocation: sourceLocation
    )
  }

  /// Text and styles, each line ended by a bar so that no editor eats blanks.
  static func picture(of canvas: Canvas) -> [String] {
    let head = "\(canvas.size.columns)x\(canvas.size.rows), text"
    return [head] + canvas.text + ["styles"] + canvas.styleLayer.map(withoutDots)
  }

  private static func withoutDots(_ line: String) -> String {
    var line = Substring(line)
    while line.last == "." { line.removeLast() }
    return String(line)
  }

  private static func difference(_ wanted: [String], _ drawn: [String]) -> [String] {
    (0..<max(wanted.count, drawn.count)).flatMap { index -> [String] in
      let old = index < wanted.count ? wanted[index] : nil
      let new = index < drawn.count ? drawn[index] : nil
      guard old != new else { return [] }
      return [old.map { "\(index) - \($0)" }, new.map { "\(index) + \($0)" }].compactMap(\.self)
    }
  }

  private static func read(_ path: String) -> [String]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast().map(String.init)
  }

  private static func write(_ picture: [String], to path: String) {
    mkdir(directory, 0o755)
    guard let file = fopen(path, "w") else {
      Issue.record("cannot write \(path)")
      return
    }
    defer { fclose(file) }
    for line in picture { fputs(line + "\n", file) }
  }
}
