// SPDX-License-Identifier: Apache-2.0
//
// What libcurl's error codes mean in domain words.
//
// Holds    one row a code that http and https can end with (libcurl-errors(3)).
// Never    lets a login through in the words of an error.

internal import CCurl
internal import Transfers

extension FailureKind {
  /// The kind for a CURLcode; codes that cannot come from http are unexpected.
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
    (CURLE_HTTP2, .badAnswer),
    (CURLE_HTTP2_STREAM, .badAnswer),
    (CURLE_HTTP3, .badAnswer),
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
