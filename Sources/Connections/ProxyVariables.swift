// SPDX-License-Identifier: Apache-2.0
//
// ProxyVariables: the proxy variables of the environment, checked before libcurl obeys them.
//
// libcurl fails every request over a variable it cannot read; desktops set such ones.
//
// Threads  the main thread, before there are others: the environment belongs to the process.
// Never    shows a value: it may hold a login.

internal import CCurl
internal import Glibc

/// The variables that name a proxy (libcurl-env(3)).
public enum ProxyVariables {
  private static let names = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "ftps_proxy",
    "FTPS_PROXY",
    "sftp_proxy", "SFTP_PROXY", "all_proxy", "ALL_PROXY",
  ]

  /// The kinds of proxies that are known (CURLOPT_PROXY(3)).
  ///
  /// libcurl takes `socks` for SOCKS4 while desktops mean version 5 by it, so it is none of these.
  private static let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// Takes variables that name no usable proxy out of the environment.
  ///
  /// - Returns: One line for each, without its value.
  public static func dropUnusable() -> [String] {
    names.compactMap { name in
      guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty,
        let problem = problem(value)
      else { return nil }
      unsetenv(name)
      return "\(name) is ignored, connecting without it: \(problem)"
    }
  }

  /// Why a value names no usable proxy; nil when it does.
  static func problem(_ value: String) -> String? {
    guard let url = curl_url() else { return nil }
    defer { curl_url_cleanup(url) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME)
    let code = curl_url_set(url, CURLUPART_URL, value, flags)
    guard code == CURLUE_OK, decodes(url, CURLUPART_USER), decodes(url, CURLUPART_PASSWORD) else {
      return "it cannot be read; percent-encode what is special in its login"
    }
    let scheme = text(of: url, CURLUPART_SCHEME)?.lowercased() ?? ""
    if schemes.contains(scheme) { return nil }
    let kind = scheme == "socks" ? "socks:// names no version" : "its kind of proxy is not known"
    return "\(kind); write http://, https://, socks5h://, socks5:// or socks4://"
  }

  private static func decodes(_ url: OpaquePointer, _ part: CURLUPart) -> Bool {
    var found: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(url, part, &found, UInt32(CURLU_URLDECODE))
    curl_free(found)
    return code != CURLUE_URLDECODE
  }

  private static func text(of url: OpaquePointer, _ part: CURLUPart) -> String? {
    var found: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &found, 0) == CURLUE_OK else { return nil }
    defer { curl_free(found) }
    return found.map { String(cString: $0) }
  }
}
