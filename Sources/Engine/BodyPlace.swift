// SPDX-License-Identifier: Apache-2.0
//
// BodyPlace: where the bytes of an answer go: into a file, or into one that is made with the first of
// them.

import Storage

/// The place of a body.
enum BodyPlace {
  case file(PartialFile)
  /// The whole file is short and of known length, so it may well be here before it has to be written.
  case new(NewFile)

  /// The name the file has or is to have, without `.part`.
  var name: String {
    switch self {
    case .file(let file): file.name
    case .new(let new): new.name
    }
  }

  /// The file, when it is there.
  var file: PartialFile? {
    switch self {
    case .file(let file): file
    case .new: nil
    }
  }
}
