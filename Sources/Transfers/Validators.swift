// SPDX-License-Identifier: Apache-2.0
//
// Validators: what a server says identifies one version of a file, and how two answers compare.
//
// Holds    header values as received; nil where the server sent none.
// Never    guesses: where nothing can be compared the answer is "unknown".

/// The entity tag and the date of one answer (RFC 9110 section 8.8).
public struct Validators: Hashable, Sendable {
  /// The ETag with its quotes, as received.
  public let entityTag: String?
  /// The Last-Modified date, as received.
  public let lastModified: String?

  /// Makes validators from header values.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  /// The tag when it is strong, so that byte ranges under it can be joined.
  public var strongTag: String? {
    guard let entityTag, entityTag.hasPrefix("\"") else { return nil }
    return entityTag
  }

  /// How another answer's validators compare with these.
  public func compare(_ other: Validators) -> Sameness {
    let tags = same(entityTag, other.entityTag)
    let dates = same(lastModified, other.lastModified)
    if tags == true, strongTag != nil { return .same }
    switch (tags, dates) {
    case (nil, nil): return .unknown
    case (_, false?): return .different
    case (false?, nil): return .different
    case (false?, true?): return .doubtful
    case (true?, nil): return .unknown
    case (true?, true?), (nil, true?): return .same
    }
  }
}

/// Whether two answers speak of the same version of a file.
public enum Sameness: Hashable, Sendable {
  /// The strong tag agrees, whatever the date says; or the dates do and no tag contradicts.
  case same
  /// A date, or the only tag, differs.
  case different
  /// The tag moved while the date stayed: some servers do that for the same bytes.
  case doubtful
  /// Nothing to compare, or only a weak tag, which does not speak of bytes (RFC 9110 section 8.8.1).
  case unknown
}

/// Nil when there is nothing to compare; an empty header value tells as little as none.
private func same(_ left: String?, _ right: String?) -> Bool? {
  guard let left, let right, !left.isEmpty, !right.isEmpty else { return nil }
  return left == right
}
