// SPDX-License-Identifier: Apache-2.0
//
// What libcurl's error codes mean in domain words.
//
// Holds    one row a code that a file can end with (libcurl-errors(3)); the reply of an FTP server and
//          the key of an SSH server say more, where there are any.
// Never    lets a login through in the words of an error.

internal import CCurl
internal import Transfers

extension FailureKind {
  /// The kind for a CURLcode; codes that cannot come are unexpected.
  init(_ code: CURLcode) {
    self = Self.kinds[code.rawValue] ?? .unexpected
  }

  private static let kinds: [UInt32: FailureKind] = Dictionary(
    uniqueKeysWithValues: rows.map { ($0.0.rawValue, $0.1) }
  )

  private static let rows: [(CURLcode, FailureKind)] = [
    // HTTP/0.9 and other things that are not HTTP; links have no other scheme.
    (CURLE_UNSUPPORTED_PROTOCOL, .badAnswer),
    (CURLE_WEIRD_SERVER_REPLY, .badAnswer),
    (CURLE_HTTP_RETURNED_ERROR, .badAnswer),
    // A line longer than libcurl takes; where memory is really short, the program traps.
    (CURLE_OUT_OF_MEMORY, .badAnswer),
    (CURLE_HTTP2, .badAnswer),
    (CURLE_HTTP2_STREAM, .badAnswer),
    (CURLE_HTTP3, .badAnswer),
    (CURLE_FTP_WEIRD_PASS_REPLY, .badAnswer),
    (CURLE_FTP_WEIRD_PASV_REPLY, .badAnswer),
    (CURLE_FTP_WEIRD_227_FORMAT, .badAnswer),
    (CURLE_FTP_CANT_GET_HOST, .badAnswer),
    (CURLE_FTP_COULDNT_SET_TYPE, .badAnswer),
    (CURLE_FTP_COULDNT_RETR_FILE, .cutShort),
    (CURLE_FTP_COULDNT_USE_REST, .wrongRange),
    (CURLE_SSH, .connectionLost),
    (CURLE_URL_MALFORMAT, .notALink),
    (CURLE_COULDNT_RESOLVE_PROXY, .proxyRefused),
    (CURLE_PROXY, .proxyRefused),
    (CURLE_COULDNT_RESOLVE_HOST, .noSuchHost),
    (CURLE_COULDNT_CONNECT, .cannotConnect),
    (CURLE_INTERFACE_FAILED, .cannotConnect),
    (CURLE_QUIC_CONNECT_ERROR, .cannotConnect),
    (CURLE_NO_CONNECTION_AVAILABLE, .cannotConnect),
    (CURLE_OPERATION_TIMEDOUT, .timedOut),
    (CURLE_PARTIAL_FILE, .cutShort),
    (CURLE_GOT_NOTHING, .connectionLost),
    (CURLE_SEND_ERROR, .connectionLost),
    (CURLE_RECV_ERROR, .connectionLost),
    (CURLE_SEND_FAIL_REWIND, .connectionLost),
    (CURLE_RANGE_ERROR, .wrongRange),
    (CURLE_BAD_DOWNLOAD_RESUME, .wrongRange),
    (CURLE_FILESIZE_EXCEEDED, .wrongLength),
    (CURLE_TOO_MANY_REDIRECTS, .redirectLoop),
    (CURLE_BAD_CONTENT_ENCODING, .unwantedCoding),
    // Our own callbacks say why they end it; else it is what undoes a coding.
    (CURLE_WRITE_ERROR, .unwantedCoding),
    (CURLE_REMOTE_ACCESS_DENIED, .refused),
    // Nothing is uploaded, so netrc is all there is to read.
    (CURLE_READ_ERROR, .badNetrc),
    (CURLE_LOGIN_DENIED, .needsLogin),
    (CURLE_AUTH_ERROR, .needsLogin),
    (CURLE_SSL_CLIENTCERT, .needsLogin),
    (CURLE_REMOTE_FILE_NOT_FOUND, .notFound),
    (CURLE_PEER_FAILED_VERIFICATION, .certificate),
    (CURLE_SSL_CACERT_BADFILE, .certificate),
    (CURLE_SSL_CERTPROBLEM, .certificate),
    (CURLE_SSL_CRL_BADFILE, .certificate),
    (CURLE_SSL_ISSUER_ERROR, .certificate),
    (CURLE_SSL_INVALIDCERTSTATUS, .certificate),
    (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .certificate),
    (CURLE_SSL_CONNECT_ERROR, .encryption),
    (CURLE_SSL_CIPHER, .encryption),
    (CURLE_SSL_ENGINE_NOTFOUND, .encryption),
    (CURLE_SSL_ENGINE_SETFAILED, .encryption),
    (CURLE_SSL_ENGINE_INITFAILED, .encryption),
    (CURLE_SSL_SHUTDOWN_FAILED, .encryption),
    (CURLE_USE_SSL_FAILED, .encryption),
  ]
}

extension EasyHandle {
  /// Codes that say no more than that an FTP server refused a command.
  private static let refusals: Set<UInt32> = Set(
    [
      CURLE_WEIRD_SERVER_REPLY, CURLE_REMOTE_ACCESS_DENIED, CURLE_FTP_WEIRD_PASS_REPLY,
      CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_COULDNT_SET_TYPE, CURLE_FTP_COULDNT_RETR_FILE,
      CURLE_LOGIN_DENIED, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_OPERATION_TIMEDOUT,
    ].map(\.rawValue)
  )

  /// The failure behind a code other than OK of a server without heads.
  func failure(_ code: CURLcode, _ file: FileAnswer, _ origin: Origin) -> Failure {
    let general = failure(code)
    if origin.scheme == .sftp { return sshFailure(code, file, origin) ?? general }
    guard Self.refusals.contains(code.rawValue) else { return general }
    return file.replies.failure(isReused: connectCount == 0) ?? general
  }

  private func sshFailure(_ code: CURLcode, _ file: FileAnswer, _ origin: Origin) -> Failure? {
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION:
      return file.hostKey.failure(of: origin)
    case CURLE_REMOTE_FILE_NOT_FOUND:
      return Failure(.notFound, detail: failure(code).detail)
    case CURLE_SSH where !hasWords:
      return Failure(.connectionLost, code: 79, detail: "reading broke off")
    // Nothing else fails so once there is a handle: the server hung up on the handshake.
    case CURLE_FAILED_INIT:
      return Failure(.connectionLost, code: 2, detail: failure(code).detail)
    default:
      return nil
    }
  }
}

/// The words with every `user:password@` behind a `//` shown as `***@`.
func maskingLogins(_ words: String) -> String {
  var rest = words[...]
  var shown = ""
  while let slashes = rest.firstRange(of: "//") {
    shown += rest[..<slashes.upperBound]
    rest = rest[slashes.upperBound...]
    let authority = rest.prefix { !" /?#'\"".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { continue }
    shown += "***"
    rest = rest[at...]
  }
  return shown + rest
}

extension Substring {
  fileprivate func firstRange(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
