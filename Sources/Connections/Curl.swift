// SPDX-License-Identifier: Apache-2.0
//
// Curl: what of libcurl belongs to the whole process.
//
// Owns     libcurl's global state, made once and kept until the process ends.
// Threads  any.

internal import CCurl
internal import Glibc

/// libcurl as a whole.
public enum Curl {
  private static let isReady: Bool = {
    signal(SIGPIPE, SIG_IGN)
    return curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK
  }()

  /// Prepares libcurl and lets writes to closed sockets fail instead of ending the process.
  ///
  /// Safe to call often and from any thread; `HandleCache` calls it as well
  /// (curl_global_init(3), SIGPIPE with CURLOPT_NOSIGNAL).
  public static func initialize() {
    precondition(isReady, "libcurl cannot start")
  }

  /// The version of the libcurl that is linked, such as `7.88.1`.
  public static var version: String {
    guard let info = curl_version_info(CURLVERSION_FIRST), let text = info.pointee.version else {
      return "unknown"
    }
    return String(cString: text)
  }
}
