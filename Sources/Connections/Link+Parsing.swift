// SPDX-License-Identifier: Apache-2.0
//
// Links from text and from Location fields, by libcurl's own URL parser, so that what is checked
// is what will be asked.
//
// Holds    raw UTF-8 and spaces are percent-encoded, the host is lower-cased. What http does not mind
//          is refused for the others: a path without a file, control bytes in it, FTP's own types.
// Never    lets a control byte through (libcurl-url(3)).

internal import CCurl
public import Transfers

extension Link {
  /// Reads a URL as people write and paste it.
  ///
  /// - Parameters:
  ///   - text: The URL; blanks around it are dropped, spaces and non-ASCII in it percent-encoded.
  ///   - assumingHTTPS: Whether a text without scheme is taken as https instead of refused.
  /// - Throws: Why it is not a link.
  public init(parsing text: String, assumingHTTPS: Bool = false) throws(LinkError) {
    let kept = surroundingBlanksDropped(Array(text.utf8))
    if let plain = PlainLink.parse(kept) {
      self = plain
      return
    }
    let bytes = Array(kept)
    guard !bytes.isEmpty else { throw .empty }
    guard let scheme = schemeName(of: bytes) else {
      let guess = try? Link(absolute: Array("https://".utf8) + bytes)
      guard assumingHTTPS, let guess else { throw .noScheme(guess: guess) }
      self = guess
      return
    }
    guard Scheme(rawValue: scheme) != nil else { throw .unsupportedScheme(scheme) }
    try self.init(absolute: bytes)
  }

  /// Resolves a Location, or another relative reference, against a link (RFC 3986 section 5).
  ///
  /// - Parameters:
  ///   - location: As received; a login in it is dropped.
  ///   - base: The link that answered with it.
  /// - Throws: `LinkError` with the reason.
  public init(resolving location: [UInt8], against base: Link) throws(LinkError) {
    let parser = URLParser()
    try parser.parse(Array(base.text.utf8))
    if let scheme = schemeName(of: location), Scheme(rawValue: scheme) == nil {
      throw .unsupportedScheme(scheme)
    }
    try parser.parse(location)
    self = try parser.link(withLogin: false)
  }

  private init(absolute bytes: [UInt8]) throws(LinkError) {
    // RFC 9110 section 4.2.1: no host is an error; libcurl would take the path's first part for it.
    let rest = bytes.drop { $0 != UInt8(ascii: ":") }
    guard !rest.starts(with: ":///".utf8) else { throw .badHost }
    let parser = URLParser()
    try parser.parse(bytes)
    self = try parser.link(withLogin: true)
  }
}

/// One libcurl URL handle; freed with the value.
private struct URLParser: ~Copyable {
  private let raw: OpaquePointer

  init() {
    guard let raw = curl_url() else { fatalError("libcurl has no memory for a URL") }
    self.raw = raw
  }

  deinit {
    curl_url_cleanup(raw)
  }

  /// Takes a URL, resolved against the one taken before.
  func parse(_ bytes: [UInt8]) throws(LinkError) {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlByte }
    let flags = UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)
    let code = (bytes + [0]).withUnsafeBytes { buffer in
      curl_url_set(raw, CURLUPART_URL, buffer.bindMemory(to: CChar.self).baseAddress, flags)
    }
    guard code == CURLUE_OK else { throw LinkError(code) }
  }

  /// What was taken, as a link.
  func link(withLogin: Bool) throws(LinkError) -> Link {
    guard let scheme = Scheme(rawValue: try text(CURLUPART_SCHEME) ?? "") else { throw .badHost }
    if !scheme.isHTTP { try pointAtFile(scheme) }
    let login = withLogin ? try login() : nil
    guard let host = try text(CURLUPART_HOST)?.lowercased(), !host.isEmpty else { throw .badHost }
    guard let port = Int(try text(CURLUPART_PORT, CURLU_DEFAULT_PORT) ?? ""), port > 0 else {
      throw .badPort
    }
    for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
      curl_url_set(raw, part, nil, 0)
    }
    curl_url_set(raw, CURLUPART_HOST, host, 0)
    guard let url = try text(CURLUPART_URL, CURLU_NO_DEFAULT_PORT) else { throw .badHost }
    return Link(
      text: url,
      origin: Origin(scheme: scheme, host: host, port: port),
      path: try text(CURLUPART_PATH) ?? "/",
      login: login
    )
  }

  /// Makes sure that the path names a file, and leaves nothing in it that libcurl would obey.
  private func pointAtFile(_ scheme: Scheme) throws(LinkError) {
    if scheme != .sftp { try dropType() }
    guard try text(CURLUPART_PATH)?.last != "/" else { throw .directory }
    do throws(LinkError) {
      _ = try text(CURLUPART_PATH, CURLU_URLDECODE)
    } catch {
      throw .controlByte
    }
  }

  /// Drops `;type=`, which chooses between text, lists and files (RFC 1738 section 3.2.2): files are
  /// all there is here.
  private func dropType() throws(LinkError) {
    let path = try text(CURLUPART_PATH) ?? "/"
    guard let type = path.firstIndex(ofText: ";type=") else { return }
    if path.lowercased().hasSuffix(";type=d") { throw .directory }
    curl_url_set(raw, CURLUPART_PATH, String(path[..<type]), 0)
  }

  private func login() throws(LinkError) -> Login? {
    let user = try decoded(CURLUPART_USER)
    let password = try decoded(CURLUPART_PASSWORD)
    guard user != nil || password != nil else { return nil }
    guard let user, !user.isEmpty else {
      if password ?? "" == "" { return nil }
      throw .badLogin
    }
    return Login(user: user, password: password ?? "")
  }

  private func decoded(_ part: CURLUPart) throws(LinkError) -> String? {
    do throws(LinkError) {
      return try text(part, CURLU_URLDECODE)
    } catch {
      throw .badLogin
    }
  }

  private func text(_ part: CURLUPart, _ flags: Int32 = 0) throws(LinkError) -> String? {
    var found: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(raw, part, &found, UInt32(flags))
    defer { curl_free(found) }
    switch code {
    case CURLUE_OK: return found.map { String(cString: $0) }
    case CURLUE_NO_USER, CURLUE_NO_PASSWORD, CURLUE_NO_PORT, CURLUE_NO_HOST: return nil
    default: throw LinkError(code)
    }
  }
}

extension LinkError {
  fileprivate init(_ code: CURLUcode) {
    self =
      switch code {
      case CURLUE_BAD_HOSTNAME, CURLUE_NO_HOST, CURLUE_BAD_IPV6: .badHost
      case CURLUE_BAD_PORT_NUMBER: .badPort
      case CURLUE_BAD_LOGIN, CURLUE_BAD_USER, CURLUE_BAD_PASSWORD: .badLogin
      default: .malformed(String(cString: curl_url_strerror(code)))
      }
  }
}

extension String {
  fileprivate func firstIndex(ofText text: String) -> Index? {
    indices.first { self[$0...].hasPrefix(text) }
  }
}

/// The scheme in lower case when the text begins with one and `://` (RFC 3986 section 3.1).
private func schemeName(of bytes: [UInt8]) -> String? {
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
    bytes[(colon + 1)...].starts(with: "//".utf8),
    bytes[..<colon].allSatisfy({ isSchemeByte($0) })
  else { return nil }
  return String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
}

private func isSchemeByte(_ byte: UInt8) -> Bool {
  let letter = byte | 0x20
  return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) || isDigit(byte)
    || "+-.".utf8.contains(byte)
}

/// Blanks and line ends at both ends go: people paste them along.
private func surroundingBlanksDropped(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
  let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
  let head = bytes.drop { blanks.contains($0) }
  let end = head.lastIndex { !blanks.contains($0) } ?? head.startIndex - 1
  return head[head.startIndex..<max(head.startIndex, end + 1)]
}
