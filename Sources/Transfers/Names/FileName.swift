// SPDX-License-Identifier: Apache-2.0
//
// FileName: the one way from what user, server and URL say to a name in the target directory.
//
// Order    the user's own name; Content-Disposition of the final answer, then of a redirect; the
//          last part of the final URL's path, then of the first one's; `download`.
// Holds    every name made here is one path component, valid UTF-8, without control characters,
//          and fits with `.part` after it in the 255 bytes a directory entry can have.
// Never    touches the disk: whether a name is taken is found out by creating it.

/// Makes names that are safe to create in a directory.
public enum FileName {
  /// What is added to the name while the file is not complete.
  public static let partialSuffix = ".part"

  /// The longest name in bytes, so that the partial suffix fits as well.
  static let byteLimit = 255 - partialSuffix.utf8.count

  /// Chooses the name to save under.
  ///
  /// - Parameters:
  ///   - userName: The name the user typed; its leading dot or dash is kept.
  ///   - disposition: The Content-Disposition value of the final answer, as received.
  ///   - redirectDisposition: The same of the last redirect that had one.
  ///   - finalPath: The path of the URL that answered, percent-encoded, without query.
  ///   - firstPath: The path of the URL that was asked for, likewise.
  ///   - decode: Decodes character sets other than UTF-8 and ISO-8859-1.
  /// - Returns: A safe name of 1 to 250 bytes.
  ///
  /// Source: RFC 6266, RFC 8187.
  public static func choose(
    userName: String?,
    disposition: [UInt8]?,
    redirectDisposition: [UInt8]?,
    finalPath: String,
    firstPath: String,
    decode: @escaping TextDecoding
  ) -> String {
    if let userName, let name = SafeName.typed(userName) { return fitted(name) }
    let guess = TextGuess(decode: decode)
    for announced in [disposition, redirectDisposition] {
      let names = announced.map { ContentDisposition($0).names(guess) } ?? []
      if let name = names.lazy.compactMap(SafeName.received).first { return fitted(name) }
    }
    let name = nameInPath(finalPath, guess) ?? nameInPath(firstPath, guess)
    return fitted(name ?? "download")
  }

  /// The safe form of a name that a list tells.
  ///
  /// - Parameter text: Such as `disk.iso`; directories before it are dropped.
  /// - Returns: A safe name of 1 to 250 bytes; nil when nothing is left of it.
  public static func told(_ text: String) -> String? {
    SafeName.received(text).map(fitted)
  }

  /// The name to try when `name` and the numbers below `number` are taken: `a (1).tar.gz`.
  ///
  /// - Parameters:
  ///   - name: A name that `choose` made.
  ///   - number: 1 or more.
  /// - Returns: A safe name of at most 250 bytes.
  public static func numbered(_ name: String, _ number: Int) -> String {
    let (stem, ending) = FileExtension.split(name)
    return fitted(stem, ending: " (\(number))" + ending)
  }

  /// The last part of a path that is not empty, percent-decoded once; nil when it makes no name.
  private static func nameInPath(_ path: String, _ guess: TextGuess) -> String? {
    let slash = UInt8(ascii: "/")
    let bytes = Array(path.utf8)
    guard let last = bytes.lastIndex(where: { $0 != slash }) else { return nil }
    let start = bytes[..<last].lastIndex(of: slash).map { $0 + 1 } ?? 0
    return SafeName.received(guess.text(of: PercentCoding.decoded(Array(bytes[start...last]))))
  }

  private static func fitted(_ name: String) -> String {
    if name.utf8.count <= byteLimit { return name }
    let (stem, ending) = FileExtension.split(name)
    return fitted(stem, ending: ending)
  }

  /// Cuts the stem when needed; a digest of what was cut keeps long names with one beginning apart.
  private static func fitted(_ stem: String, ending: String) -> String {
    let room = byteLimit - ending.utf8.count
    guard stem.utf8.count > room else { return stem + ending }
    let mark = "-" + shortDigest(stem)
    return beginning(of: stem, bytes: room - mark.utf8.count) + mark + ending
  }

  /// As many whole characters as fit; of a character that is too long by itself, whole scalars.
  private static func beginning(of text: String, bytes: Int) -> String {
    var result = ""
    for character in text {
      guard result.utf8.count + character.utf8.count <= bytes else { break }
      result.append(character)
    }
    guard result.isEmpty else { return result }
    for scalar in text.unicodeScalars {
      guard result.utf8.count + UTF8.width(scalar) <= bytes else { break }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// FNV-1a with 32 bits, as eight hexadecimal digits.
  private static func shortDigest(_ text: String) -> String {
    let digest = text.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
