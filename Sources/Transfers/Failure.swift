// SPDX-License-Identifier: Apache-2.0
//
// Failure: why a transfer did not go on, in domain words, with the source's own code kept.
//
// Holds    a kind, the code behind it (HTTP status, FTP reply, CURLcode or errno) and a detail for the log.
// Never    shows the detail unsanitised: it may hold a server's words.

/// What happened.
///
/// `FailureKind.remedy` says what is to be done about it.
public enum FailureKind: String, Hashable, Sendable, CaseIterable {
  // Answers of a server.
  case needsLogin, refused, notFound, serverBusy, serverError, rejected
  case redirectLoop, redirectRefused, wrongRange, badAnswer, unwantedCoding
  case changed, notTheFile, isDirectory, otherFile, wrongLength, cutShort
  // Networks.
  case noSuchHost, cannotConnect, timedOut, connectionLost, certificate, encryption
  case proxyRefused, hostUnknown, hostKeyChanged
  // The bytes.
  case checksumDiffers
  // The disk.
  case diskFull, cannotWrite, noDirectory, nameNotUsable, partialGone, diskFault
  // What was asked.
  case notALink, noCookieFile, badNetrc
  // Ourselves.
  case noDescriptors, unexpected
}

/// What to do next.
public enum Remedy: Hashable, Sendable {
  /// It can pass: try again after a pause.
  case retry
  /// Drop what is there and begin again, a few times at most.
  case restart
  /// Wait until the disk has room.
  case waitForSpace
  /// Trying again cannot help until the user changes something.
  case giveUp
}

/// One failure of a transfer.
public struct Failure: Error, Hashable, Sendable {
  /// What happened.
  public let kind: FailureKind
  /// The HTTP status, FTP reply, CURLcode or errno behind it; 0 when there is none.
  public let code: Int
  /// Facts for the log and the details screen; may come from outside, so sanitise it.
  public let detail: String

  /// Makes a failure.
  public init(_ kind: FailureKind, code: Int = 0, detail: String = "") {
    self.kind = kind
    self.code = code
    self.detail = detail
  }

  /// The failure behind an HTTP status that carries no file (RFC 9110 section 15).
  ///
  /// - Parameter status: Anything but 200 and 206.
  /// - Returns: A failure whose code is the status.
  public static func status(_ status: Int) -> Failure {
    let kind: FailureKind =
      switch status {
      case 401: .needsLogin
      case 407: .proxyRefused
      case 403: .refused
      case 404, 410: .notFound
      case 416: .wrongRange
      case 408, 425, 429, 503: .serverBusy
      case 500...599: .serverError
      case 400...499: .rejected
      default: .badAnswer
      }
    return Failure(kind, code: status)
  }

  /// What to do next.
  public var remedy: Remedy { kind.remedy }
}

extension FailureKind {
  /// What to do about a failure of this kind.
  public var remedy: Remedy {
    switch self {
    case .serverBusy, .serverError, .cannotConnect, .timedOut, .connectionLost, .encryption,
      .cutShort, .noSuchHost, .noDescriptors:
      .retry
    case .wrongRange, .changed, .wrongLength, .partialGone:
      .restart
    case .diskFull:
      .waitForSpace
    case .needsLogin, .refused, .notFound, .rejected, .redirectLoop, .redirectRefused,
      .badAnswer, .notTheFile, .isDirectory, .otherFile, .unwantedCoding, .certificate,
      .proxyRefused,
      .hostUnknown, .hostKeyChanged, .checksumDiffers, .cannotWrite, .noDirectory, .nameNotUsable,
      .diskFault, .notALink, .noCookieFile,
      .badNetrc, .unexpected:
      .giveUp
    }
  }
}
