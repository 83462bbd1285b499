// SPDX-License-Identifier: Apache-2.0
//
// Links to the same file, and to a document about it, that a server names in its answer.
//
// Source   RFC 6249 sections 3 and 4 (`rel=duplicate`, `pri`), RFC 8288 section 3 (the Link field).
// Holds    http and https only, at most 16, in the order of `pri`; a login in them is dropped.
// Never    believes that they have the file: whoever uses one compares it first.

public import Transfers

extension ResponseHead {
  /// The most links that are taken from one answer.
  private static let mostDuplicates = 16
  /// Fields that are longer are left alone.
  private static let longestField = 16 * 1024

  /// The links with `rel=duplicate`, most preferred first.
  public var duplicates: [Link] {
    let named = linkValues.filter(\.isDuplicate)
    var found: [Link] = []
    for value in named.sorted(by: { $0.priority < $1.priority }) {
      guard found.count < Self.mostDuplicates,
        let link = try? Link(resolving: value.target, against: self.link),
        link.origin.scheme.isHTTP, link.text != self.link.text, !found.contains(link)
      else { continue }
      found.append(link)
    }
    return found
  }
}

extension ResponseHead {
  /// The first Metalink 4 document that is said to describe the file (RFC 6249 section 4); http and
  /// https only.
  public var describedBy: Link? {
    for value in linkValues where value.isMetalink {
      guard let link = try? Link(resolving: value.target, against: self.link),
        link.origin.scheme.isHTTP
      else { continue }
      return link
    }
    return nil
  }

  private var linkValues: [LinkValue] {
    let values = fields.filter { $0.name == "link" && $0.value.count <= Self.longestField }
    return values.flatMap { LinkValue.all(in: $0.value) }.filter { !$0.target.isEmpty }
  }
}

/// One member of a Link field.
struct LinkValue {
  let target: [UInt8]
  private(set) var isDuplicate = false
  private var isDescription = false
  private var type = ""
  /// 1 is best; a link without one comes last.
  private(set) var priority = 999_999

  /// Whether it is a Metalink 4 document about the file.
  var isMetalink: Bool { isDescription && type == "application/metalink4+xml" }

  /// The members of a field; what is not one ends the reading.
  static func all(in value: [UInt8]) -> [LinkValue] {
    var rest = value[...]
    var found: [LinkValue] = []
    while let member = LinkValue(reading: &rest) { found.append(member) }
    return found
  }

  /// Reads `<target>; name=value; …` up to the comma behind it.
  private init?(reading rest: inout ArraySlice<UInt8>) {
    rest = rest.drop { $0 == UInt8(ascii: ",") || isBlank($0) }
    guard rest.first == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    target = Array(rest[(rest.startIndex + 1)..<end])
    rest = rest[(end + 1)...]
    while let (name, value) = Self.parameter(&rest) { take(name, value) }
  }

  /// The first `rel` and `pri` count (RFC 8288 section 3.3).
  private mutating func take(_ name: String, _ value: String) {
    switch name {
    case "rel":
      let relations = value.split(separator: " ")
      isDuplicate = isDuplicate || relations.contains("duplicate")
      isDescription = isDescription || relations.contains("describedby")
    case "type": type = value
    case "pri": priority = Int(value).map { max(1, min($0, 999_999)) } ?? priority
    default: break
    }
  }

  /// The next parameter, in lower case; nil at the end of the member.
  private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (String, String)? {
    rest = rest.drop { isBlank($0) }
    guard rest.first == UInt8(ascii: ";") else { return nil }
    rest = rest.dropFirst().drop { isBlank($0) }
    let name = rest.prefix { !isBlank($0) && !"=;,".utf8.contains($0) }
    rest = rest[name.endIndex...].drop { isBlank($0) }
    guard rest.first == UInt8(ascii: "=") else { return (lowered(name), "") }
    rest = rest.dropFirst().drop { isBlank($0) }
    return (lowered(name), lowered(value(&rest)))
  }

  /// A token, or what stands between quotes.
  private static func value(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isQuoted = rest.first == UInt8(ascii: "\"")
    if isQuoted { rest = rest.dropFirst() }
    let value = rest.prefix { byte in
      isQuoted ? byte != UInt8(ascii: "\"") : !isBlank(byte) && !";,".utf8.contains(byte)
    }
    rest = rest[value.endIndex...]
    if isQuoted { rest = rest.dropFirst() }
    return value
  }

  private static func lowered(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).lowercased()
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
