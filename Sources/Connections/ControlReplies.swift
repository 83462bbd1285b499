// SPDX-License-Identifier: Apache-2.0
//
// ControlReplies: what an FTP server says on its control connection, as libcurl hands it over.
//
// Holds    the last reply, for the reason when something fails, and the sizes that were told.
// Source   RFC 959 section 4.2, RFC 3659 section 4 (SIZE).
// Never    keeps more than a line; endless replies are refused.

internal import Transfers

struct ControlReplies {
  private static let limit = 256 * 1024
  private static let longestLine = 200

  /// The code of the last reply, 0 before the first.
  private(set) var code = 0
  /// The last reply without its code, as sent.
  private(set) var text = ""
  private var sizes: Set<Int64> = []
  private var taken = 0

  /// Takes a line; false when the server does not come to an end.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    taken += line.count
    let content = line.prefix { $0 != 10 && $0 != 13 }
    let digits = Array(content.prefix(3))
    // Lines with a dash behind the code, or without a code, are within a reply.
    if let code = Int64(digits: digits[...]), digits.count == 3,
      content.count == 3 || content[3] == UInt8(ascii: " ")
    {
      self.code = Int(code)
      let words = Array(content.dropFirst(4).prefix(Self.longestLine))
      text = String(decoding: words, as: UTF8.self)
      if code == 213, let size = Int64(digits: trimmed(words)) { sizes.insert(size) }
    }
    return taken <= Self.limit
  }

  /// Whether the server told this size of the file.
  ///
  /// A date (MDTM) has the same form, so it is asked for a number that is known from elsewhere: the
  /// one that libcurl goes by, which may be a guess out of the words of another reply.
  func told(size: Int64) -> Bool { sizes.contains(size) }

  /// Why a server refuses, by its last reply; nil when that is no refusal.
  func failure(isReused: Bool) -> Failure? {
    guard let kind = kind(isReused: isReused) else { return nil }
    // Some servers repeat the password.
    let words = kind == .needsLogin ? "to the login" : text
    return Failure(kind, code: code, detail: "the server answers \(code) \(words)")
  }

  private func kind(isReused: Bool) -> FailureKind? {
    switch code {
    // An idle connection was closed; nobody is too many then.
    case 421: isReused ? .connectionLost : .serverBusy
    case 425, 426: .connectionLost
    case 450: .serverBusy
    case 430, 530, 332, 532: isFull ? .serverBusy : .needsLogin
    case 550, 553: .notFound
    case 400...499: .serverError
    case 500...599: .rejected
    default: nil
    }
  }

  /// Some servers refuse one more user as if the login were wrong.
  private var isFull: Bool {
    let words = text.lowercased()
    return ["too many", "maximum", "limit"].contains { words.contains($0) }
  }
}
