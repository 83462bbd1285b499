// SPDX-License-Identifier: Apache-2.0
//
// CharacterSets: bytes in any character set the system knows, as text.
//
// Owns     one conversion descriptor per call, closed before it returns; any thread.
// Never    replaces what does not decode: the whole input is text, or the answer is nil.

import Glibc

/// Decoding with the character sets of the C library.
public enum CharacterSets {
  /// Decodes all of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: Text in `charset`; may be empty.
  ///   - charset: A name that `iconv -l` lists, any case.
  /// - Returns: The text; nil when the set is unknown or a byte is not valid in it.
  ///
  /// Source: `iconv(3)`.
  public static func decode(_ bytes: [UInt8], from charset: String) -> String? {
    // A suffix such as `//IGNORE` would let bytes vanish.
    guard !charset.contains("/"), let converter = Converter(from: charset) else { return nil }
    return converter.convert(bytes).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// One conversion descriptor.
private struct Converter: ~Copyable {
  private let descriptor: iconv_t

  init?(from charset: String) {
    guard let descriptor = iconv_open("UTF-8", charset), Int(bitPattern: descriptor) != -1
    else { return nil }
    self.descriptor = descriptor
  }

  deinit { iconv_close(descriptor) }

  /// The bytes as UTF-8; nil when some are left over.
  func convert(_ bytes: [UInt8]) -> [UInt8]? {
    var input = bytes.map { CChar(bitPattern: $0) }
    // No character set needs more than four bytes of UTF-8 for one of its bytes.
    var output = [CChar](repeating: 0, count: 4 * bytes.count + 4)
    guard let used = convert(&input, to: &output) else { return nil }
    return output[..<used].map { UInt8(bitPattern: $0) }
  }

  private func convert(_ input: inout [CChar], to output: inout [CChar]) -> Int? {
    var left = input.count
    var room = output.count
    let failed = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var source = input.baseAddress
        var target = output.baseAddress
        // The second call writes what a set with states still holds back.
        return iconv(descriptor, &source, &left, &target, &room) == -1
          || iconv(descriptor, nil, nil, &target, &room) == -1
      }
    }
    return failed || left > 0 ? nil : output.count - room
  }
}
