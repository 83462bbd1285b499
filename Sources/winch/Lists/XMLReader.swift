// SPDX-License-Identifier: Apache-2.0
//
// XMLReader: an XML document as a row of events, read by expat.
//
// Owns     the parser, freed before `read` returns. Any thread.
// Never    takes a document type, and so no entity of the document's own; never opens anything.
// Source   expat's reference, "Using Expat" and XML_ParserCreateNS; XML 1.0; Namespaces in XML.

import CExpat

/// One event of a document.
enum XMLEvent {
  /// An element begins: its namespace, "" for none, its local name and its attributes without one.
  case begin(space: String, name: String, attributes: [String: String])
  /// Text, perhaps in several parts.
  case text(String)
  /// An element ends.
  case end
}

/// Why a document is not XML.
struct XMLError: Error, Hashable, Sendable {
  /// Counted from 1.
  let line: Int
  /// What expat says, or why we would not read on.
  let reason: String
}

/// Reads documents.
enum XMLReader {
  /// Between a namespace and a local name: a byte that no XML document can hold.
  private static let separator = "\u{1}"
  /// No document that is meant well nests its elements deeper, and who reads them looks at all that
  /// are open.
  private static let deepest = 64

  /// Reads a document and hands on what it meets.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - take: Gets every event with its line, counted from 1.
  /// - Throws: `XMLError`; everything before has been handed on.
  static func read(
    _ bytes: [UInt8],
    take: @escaping (XMLEvent, _ line: Int) -> Void
  ) throws(XMLError) {
    guard let parser = XML_ParserCreateNS(nil, 1) else {
      throw XMLError(line: 0, reason: "out of memory")
    }
    defer { XML_ParserFree(parser) }
    let reading = Reading(parser, take)
    let status = withExtendedLifetime(reading) {
      bytes.withUnsafeBytes { buffer in
        let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        return XML_Parse(parser, start, Int32(clamping: buffer.count), 1)
      }
    }
    guard status != XML_STATUS_OK else { return }
    throw XMLError(line: reading.line, reason: reading.refusal ?? reason(parser))
  }

  private static func reason(_ parser: XML_Parser) -> String {
    XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "not XML"
  }

  /// What the parser calls back.
  private final class Reading {
    private let parser: XML_Parser
    private let take: (XMLEvent, Int) -> Void
    private(set) var refusal: String?
    private var depth = 0

    init(_ parser: XML_Parser, _ take: @escaping (XMLEvent, Int) -> Void) {
      self.parser = parser
      self.take = take
      XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
      XML_SetElementHandler(
        parser,
        { Reading.from($0).begin($1, $2) },
        { data, _ in Reading.from(data).end() }
      )
      XML_SetCharacterDataHandler(parser) { Reading.from($0).text($1, $2) }
      XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
        Reading.from(data).refuse("a document type is not taken; remove the DOCTYPE")
      }
    }

    var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private static func from(_ data: UnsafeMutableRawPointer?) -> Reading {
      guard let data else { preconditionFailure("the parser has its reading") }
      return Unmanaged<Reading>.fromOpaque(data).takeUnretainedValue()
    }

    private func tell(_ event: XMLEvent) { take(event, line) }

    private func begin(
      _ name: UnsafePointer<XML_Char>?,
      _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
      depth += 1
      if depth > deepest { return refuse("elements are nested deeper than \(deepest)") }
      let parts = Self.string(name).split(separator: separator, omittingEmptySubsequences: false)
      tell(
        .begin(
          space: parts.count > 1 ? String(parts[0]) : "",
          name: String(parts.last ?? ""),
          attributes: Self.attributes(pairs)
        )
      )
    }

    private func end() {
      depth -= 1
      tell(.end)
    }

    private func text(_ start: UnsafePointer<XML_Char>?, _ count: Int32) {
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
      tell(.text(String(decoding: bytes, as: UTF8.self)))
    }

    private func refuse(_ reason: String) {
      refusal = reason
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    /// Names and values in turn, ended by a null pointer.
    private static func attributes(
      _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) -> [String: String] {
      var found: [String: String] = [:]
      guard var pair = pairs else { return found }
      while pair[0] != nil {
        found[string(pair[0])] = string(pair[1])
        pair += 2
      }
      return found
    }

    private static func string(_ text: UnsafePointer<XML_Char>?) -> String {
      text.map { String(cString: $0) } ?? ""
    }
  }
}
