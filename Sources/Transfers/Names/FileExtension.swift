// SPDX-License-Identifier: Apache-2.0
//
// FileExtension: where a name ends and its extension begins.
//
// Holds    nothing; any thread.
// Never    leaves an empty stem; `.bashrc` has no extension.

/// Splits names such as `a.tar.gz` into `a` and `.tar.gz`.
enum FileExtension {
  /// Extensions that say how the file named before them was packed or signed.
  private static let wrappers: Set = [
    "gz", "bz2", "xz", "zst", "lz", "lz4", "lzma", "lzo", "br", "z", "asc", "sig", "gpg", "sha256",
  ]

  /// The stem and the extension with its dot; the extension may be empty.
  static func split(_ name: String) -> (stem: String, ending: String) {
    let outer = splitOnce(name[...])
    guard wrappers.contains(outer.ending.dropFirst().lowercased()) else {
      return (String(outer.stem), String(outer.ending))
    }
    let inner = splitOnce(outer.stem)
    // `.2` in `v1.2.gz` is part of a version.
    let isInner = inner.ending.dropFirst().first?.isLetter == true && inner.ending.count <= 6
    let stem = isInner ? inner.stem : outer.stem
    return (String(stem), String(name[stem.endIndex...]))
  }

  private static func splitOnce(_ name: Substring) -> (stem: Substring, ending: Substring) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    let ending = name[dot...]
    let letters = ending.dropFirst()
    let isPlain = letters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard isPlain, (1...16).contains(letters.count) else { return (name, "") }
    return (name[..<dot], ending)
  }
}
