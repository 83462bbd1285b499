// SPDX-License-Identifier: Apache-2.0
//
// FileAnswer: what ftp and sftp tell about a file, as the head that http would have sent.
//
// They send no heads: the size comes by SIZE or stat, the date by MDTM or stat, and whether bytes
// from the middle can be had shows when they are asked for. From this a head is made before the
// first byte is handed over, so that whoever judges heads need not know who is speaking:
//
//   size known               206 with Content-Range, Last-Modified when there is a date
//   size not told            200; nothing can be resumed, for nothing would show where it ends
//   nothing from there on    416 with the size
//   REST refused or ignored  416 without
//
// Holds    the place asked for and what has been told. Values only, no libcurl.

internal import Transfers

struct FileAnswer {
  /// What libcurl knows once the server has agreed to send.
  struct Told {
    /// Bytes from the start asked for to the end, as far as known.
    var rest: Int64?
    /// When the file was changed, in seconds since 1970.
    var modified: Int64?
  }

  /// A status with its fields.
  typealias Head = (status: Int, fields: [ResponseField])

  /// The first byte asked for.
  let start: Int64
  private let isWhole: Bool
  let isFTP: Bool
  /// What was said on the control connection of ftp.
  var replies = ControlReplies()
  /// What known_hosts says to the key that an SSH server showed.
  var hostKey = HostKey.believed

  init(_ range: RequestedRange, _ scheme: Scheme) {
    isFTP = scheme != .sftp
    isWhole = range == .whole
    start = range.start
  }

  /// The head before the first byte.
  func head(of told: Told) -> Head {
    guard let rest = told.rest, !isFTP || replies.told(size: start + rest) else {
      return start > 0 ? unsatisfied(nil) : (200, length(told.rest) + date(told))
    }
    if isWhole { return (200, length(rest) + date(told)) }
    let span = "bytes \(start)-\(start + rest - 1)/\(start + rest)"
    return (206, [ResponseField("content-range", span)] + date(told))
  }

  /// The head when all went well and no byte came.
  func headOfNothing(_ told: Told) -> Head {
    start > 0 ? unsatisfied(start) : (200, length(0) + date(told))
  }

  /// The head when no byte can be had from the start asked for.
  ///
  /// - Parameter size: The size of the file, where that is the reason.
  /// - Returns: A head with status 416.
  func unsatisfied(_ size: Int64?) -> Head {
    (416, size.map { [ResponseField("content-range", "bytes */\($0)")] } ?? [])
  }

  private func length(_ bytes: Int64?) -> [ResponseField] {
    bytes.map { [ResponseField("content-length", "\($0)")] } ?? []
  }

  private func date(_ told: Told) -> [ResponseField] {
    told.modified.map { [ResponseField("last-modified", HTTPDate.text(of: $0))] } ?? []
  }
}

extension RequestedRange {
  /// How many bytes are asked for at most.
  var count: Int64 {
    switch self {
    case .whole, .from: .max
    case .part(let range): range.count
    }
  }

  /// The first byte asked for.
  var start: Int64 {
    switch self {
    case .whole: 0
    case .from(let start): start
    case .part(let range): range.lower
    }
  }
}
