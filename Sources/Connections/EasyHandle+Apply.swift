// SPDX-License-Identifier: Apache-2.0
//
// The one table from a request to libcurl's options.
//
// Holds    what is the same for every request, what the request decides, and what belongs to one
//          hop of a chain of redirects.
// Never    sends the user's fields or login to another origin than theirs; netrc is asked for the
//          host of each hop.

internal import CCurl
internal import Glibc
internal import Transfers

extension EasyHandle {
  /// Sets all options of a request but those of the hop.
  ///
  /// - Throws: The failure when there is no reading the cookie file.
  func apply(
    _ request: ConnectionRequest,
    userAgent: String,
    _ netrc: Netrc
  ) throws(ConnectionError) {
    try check(request.cookieFile)
    reset(cookieFile: request.cookieFile)
    applyConstants()
    // A login in the options, that is out of the link, keeps libcurl from asking netrc.
    if netrc.isThere { set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue)) }
    set(CURLOPT_NETRC_FILE, netrc.chosenPath)
    set(CURLOPT_USERAGENT, userAgent)
    apply(request.trust)
    if request.link.origin.scheme.isHTTP { set(CURLOPT_RANGE, request.range.option) }
    set(CURLOPT_CONNECTTIMEOUT_MS, request.timeouts.connect.milliseconds)
    set(CURLOPT_BUFFERSIZE, Int(min(max(request.receiveBuffer.bytes, 1024), 512 * 1024)))
  }

  /// Sets what differs from the last request, which was like this one but for link and range.
  func renew(_ request: ConnectionRequest) {
    set(CURLOPT_COOKIELIST, "ALL")
    set(CURLOPT_RANGE, request.range.option)
    forgetError()
  }

  /// Sets where the next hop goes and what it may know; the list must outlive the hop.
  func applyHop(_ link: Link, of request: ConnectionRequest, fields: borrowing FieldList) {
    let login = link.origin == request.link.origin ? request.link.login : nil
    set(CURLOPT_URL, link.text)
    set(CURLOPT_USERNAME, login?.user)
    set(CURLOPT_PASSWORD, login?.password)
    _ = ccurl_set_pointer(raw, CURLOPT_HTTPHEADER, fields.raw)
  }

  private func applyConstants() {
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_PROTOCOLS_STR, "http,https,ftp,ftps,sftp")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_ACCEPT_ENCODING, "identity")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // Without it the end of a cancelled name resolution would be waited for.
    set(CURLOPT_QUICK_EXIT, 1)
  }

  /// libcurl goes on without cookies when it cannot read them.
  private func check(_ path: String?) throws(ConnectionError) {
    guard let path, access(path, R_OK) != 0 else { return }
    let code = errno
    let detail = "\(path): \(String(cString: strerror(code)))"
    throw .failure(Failure(.noCookieFile, code: Int(code), detail: detail))
  }

  /// `.file` adds to the system's certificate directory, as the curl tool's --cacert does.
  private func apply(_ trust: Trust) {
    switch trust {
    case .system:
      break
    case .file(let path):
      set(CURLOPT_CAINFO, path)
    case .anything:
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }

  private func set(_ option: CURLoption, _ version: UInt32) {
    set(option, Int(version))
  }
}

/// The request fields of one hop as libcurl's list.
struct FieldList: ~Copyable {
  /// Fields whose value this target decides.
  private static let own: Set<String> = [
    "range", "if-range", "accept-encoding", "te", "connection", "content-length",
    "transfer-encoding",
  ]

  private(set) var raw: UnsafeMutablePointer<curl_slist>?

  init(_ request: ConnectionRequest, for origin: Origin) {
    if let ifRange = request.ifRange { append("If-Range: \(ifRange)") }
    // Only a proxy that fetches from an ftp server sees it; libcurl itself asks it for parts only.
    if origin.scheme == .ftp, request.range.start == 0, request.range != .whole {
      append("Range: bytes=0-")
    }
    guard origin == request.headerOrigin else { return }
    for field in request.headers where !Self.own.contains(field.name.lowercased()) {
      // libcurl takes `Name:` as an order to leave the field out.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
  }

  deinit {
    curl_slist_free_all(raw)
  }

  private mutating func append(_ line: String) {
    raw = curl_slist_append(raw, line)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up, at least 1.
  var milliseconds: Int {
    max(1, Int(clamping: (nanoseconds.addingSaturating(999_999)) / 1_000_000))
  }
}

extension Int64 {
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
