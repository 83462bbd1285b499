// SPDX-License-Identifier: Apache-2.0
//
// Metalink: the files of a Metalink 4 document, each with its mirrors, size and digests.
//
// Rule     one bad file spoils no other; a document that breaks off gives the files that were whole
//          before. Elements of another namespace, and those that say nothing to us, are passed over.
// Any thread. Pure; XMLReader reads the document.
// Source   RFC 5854.

/// The files of a Metalink document.
struct Metalink {
  /// The files, in their order.
  private(set) var entries: [LinkList.Entry] = []
  /// What cannot be used, in the order it was met.
  private(set) var problems: [LinkList.Problem] = []

  private static let namespace = "urn:ietf:params:xml:ns:metalink"
  private static let oldNamespace = "http://www.metalinker.org/"

  /// Local names from the root down to where we are; nil for an element that is passed over.
  private var path: [String?] = []
  private var file: (builder: MetalinkFile, line: Int)?
  private var text = ""

  /// Whether the bytes of a list are an XML document and not lines.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
    return start.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "<")
  }

  /// Reads a document.
  ///
  /// - Parameter bytes: The whole of it.
  init(_ bytes: [UInt8]) {
    let reading = Reading()
    do throws(XMLError) {
      try XMLReader.read(bytes) { reading.content.take($0, $1) }
    } catch {
      reading.content.report(.xml(error.reason), at: error.line)
    }
    self = reading.content
    if entries.isEmpty, problems.isEmpty { report(.notMetalink, at: 1) }
  }

  private init() {}

  /// The document so far, for the parser's calls.
  private final class Reading {
    var content = Metalink()
  }
}

extension Metalink {
  private mutating func take(_ event: XMLEvent, _ line: Int) {
    switch event {
    case .begin(let space, let name, let attributes): begin(space, name, attributes, line)
    case .text(let more): if text.utf8.count < MetalinkFile.textLimit { text += more }
    case .end: end(line)
    }
  }

  private mutating func begin(
    _ space: String,
    _ name: String,
    _ attributes: [String: String],
    _ line: Int
  ) {
    text = ""
    let isKnown = space == Self.namespace && !path.contains(nil)
    path.append(isKnown ? name : nil)
    if path.count == 1, !isKnown {
      report(space == Self.oldNamespace ? .oldMetalink : .notMetalink, at: line)
    }
    if path == ["metalink", "file"] {
      file = (MetalinkFile(name: attributes["name"]), line)
    } else if isKnown {
      file?.builder.begin(Array(path.dropFirst(2)), attributes)
    }
  }

  private mutating func end(_ line: Int) {
    if path == ["metalink", "file"] {
      finishFile()
    } else if !path.contains(nil) {
      file?.builder.end(Array(path.dropFirst(2)), text.withoutBlanksAround)
    }
    path.removeLast()
    text = ""
  }

  private mutating func finishFile() {
    guard let (builder, line) = file else { return }
    file = nil
    do throws(ListProblem) {
      entries.append(LinkList.Entry(number: line, file: try builder.entry()))
    } catch {
      report(error, at: line, builder.name ?? "")
    }
  }

  private mutating func report(_ reason: ListProblem, at line: Int, _ text: String = "") {
    problems.append(LinkList.Problem(number: line, text: text, reason: reason, leavesOut: nil))
  }
}
