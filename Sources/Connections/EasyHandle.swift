// SPDX-License-Identifier: Apache-2.0
//
// EasyHandle: one libcurl easy handle with its error text.
//
// Owns     the handle and the error buffer; both end with the value.
// Threads  one at a time.

internal import CCurl
internal import Transfers

struct EasyHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>

  /// Makes a handle; traps when there is no memory for it.
  init() {
    guard let raw = curl_easy_init() else { fatalError("libcurl has no memory for a handle") }
    self.raw = raw
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.pointee = 0
  }

  deinit {
    curl_easy_cleanup(raw)
    errorText.deallocate()
  }

  /// Forgets all options and cookies; live connections and TLS sessions stay.
  ///
  /// - Parameter cookieFile: Where cookies come from then.
  func reset(cookieFile: String?) {
    curl_easy_reset(raw)
    set(CURLOPT_COOKIEFILE, "")
    set(CURLOPT_COOKIELIST, "ALL")
    if let cookieFile {
      set(CURLOPT_COOKIEFILE, cookieFile)
      set(CURLOPT_COOKIELIST, "RELOAD")
      // It forgets the file, not the cookies: else each hop would undo what the one before it set.
      curl_easy_reset(raw)
    }
    forgetError()
    _ = ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
  }

  /// Forgets the words of the last failure.
  func forgetError() {
    errorText.pointee = 0
  }

  func set(_ option: CURLoption, _ value: Int) {
    _ = ccurl_set_long(raw, option, value)
  }

  func set(_ option: CURLoption, _ text: String?) {
    _ = ccurl_set_text(raw, option, text)
  }

  /// Lets go of what a write callback held back; may call the callbacks.
  func resume() {
    curl_easy_pause(raw, CURLPAUSE_CONT)
  }

  /// Whether TCP stands (CURLINFO_CONNECT_TIME_T).
  var isConnected: Bool { offset(CURLINFO_CONNECT_TIME_T) > 0 }

  /// Whether the request is on its way (CURLINFO_PRETRANSFER_TIME_T).
  var hasSent: Bool { offset(CURLINFO_PRETRANSFER_TIME_T) > 0 }

  var connectCount: Int { ccurl_get_long(raw, CURLINFO_NUM_CONNECTS) }

  /// What a proxy answered to CONNECT, 0 for nothing.
  var proxyStatus: Int { ccurl_get_long(raw, CURLINFO_HTTP_CONNECTCODE) }

  var timings: ConnectionTimings {
    ConnectionTimings(
      name: .microseconds(offset(CURLINFO_NAMELOOKUP_TIME_T)),
      connect: .microseconds(offset(CURLINFO_CONNECT_TIME_T)),
      tls: .microseconds(offset(CURLINFO_APPCONNECT_TIME_T)),
      firstByte: .microseconds(offset(CURLINFO_STARTTRANSFER_TIME_T)),
      total: .microseconds(offset(CURLINFO_TOTAL_TIME_T))
    )
  }

  var remoteAddress: String {
    guard let text = ccurl_get_text(raw, CURLINFO_PRIMARY_IP), text.pointee != 0 else { return "" }
    let address = String(cString: text)
    let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    return "\(host):\(ccurl_get_long(raw, CURLINFO_PRIMARY_PORT))"
  }

  /// The failure behind a CURLcode other than OK, with libcurl's own words.
  func failure(_ code: CURLcode) -> Failure {
    let words = words(for: code)
    let kind = isProxys(words) ? .proxyRefused : FailureKind(code)
    let shown = repeatsProxy(words) ? "the proxy variable is not usable" : maskingLogins(words)
    return Failure(kind, code: Int(code.rawValue), detail: shown)
  }

  /// Whether the proxy refused, or its variable names a kind of proxy that libcurl does not know,
  /// for which there is no code of its own.
  private func isProxys(_ words: String) -> Bool {
    proxyStatus >= 400 || repeatsProxy(words)
  }

  /// Whether the words hold the proxy variable as it is, which may be a login in any shape.
  private func repeatsProxy(_ words: String) -> Bool {
    words.hasPrefix("Unsupported proxy")
  }

  /// Whether libcurl had more to say than a code.
  var hasWords: Bool { errorText.pointee != 0 }

  /// Where libcurl's words for a code say something else than what it comes from here.
  private static let ownWords = [
    CURLE_OUT_OF_MEMORY.rawValue: "a line of the head is too long",
    CURLE_WRITE_ERROR.rawValue: "bytes behind the end of what is compressed",
  ]

  private func words(for code: CURLcode) -> String {
    if hasWords { return String(cString: errorText) }
    if let own = Self.ownWords[code.rawValue] { return own }
    return curl_easy_strerror(code).map { String(cString: $0) } ?? ""
  }

  private func offset(_ info: CURLINFO) -> Int64 {
    Int64(ccurl_get_offset(raw, info))
  }
}
