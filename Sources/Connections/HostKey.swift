// SPDX-License-Identifier: Apache-2.0
//
// HostKey: whether the key that an SSH server shows is the one in the user's known_hosts.
//
// Holds    only a key that stands there is believed; nothing is ever added, and no option of ours
//          turns that off.
// Source   CURLOPT_SSH_KNOWNHOSTS, CURLOPT_SSH_KEYFUNCTION; sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.

internal import CCurl
internal import Transfers

/// What known_hosts says.
enum HostKey {
  /// It is the key that stands there, or none has been shown yet.
  case believed
  /// There is none of its kind for that host.
  case unknown
  /// Another one stands there.
  case other

  /// The failure for a key that is not believed.
  func failure(of origin: Origin) -> Failure? {
    switch self {
    case .believed: nil
    case .unknown:
      Failure(
        .hostUnknown,
        detail: "compare its key, then: ssh-keyscan \(Self.target(origin)) >> ~/.ssh/known_hosts"
      )
    case .other:
      Failure(
        .hostKeyChanged,
        detail: "somebody may be listening in; if not: ssh-keygen -R \(Self.entry(origin))"
      )
    }
  }

  private static func target(_ origin: Origin) -> String {
    origin.port == 22 ? "'\(name(origin))'" : "-p \(origin.port) '\(name(origin))'"
  }

  private static func entry(_ origin: Origin) -> String {
    origin.port == 22 ? "'\(name(origin))'" : "'[\(name(origin))]:\(origin.port)'"
  }

  /// The host without the brackets that addresses have in links.
  private static func name(_ origin: Origin) -> String {
    origin.host.filter { $0 != "[" && $0 != "]" }
  }
}

extension EasyHandle {
  /// Lets `exchange`, which must outlive the transfer, learn what known_hosts says.
  func checkHostKey(for exchange: Exchange) {
    set(CURLOPT_SSH_KNOWNHOSTS, Home.path(".ssh/known_hosts"))
    _ = ccurl_set_host_key_check(raw, judgeHostKey)
    _ = ccurl_set_pointer(raw, CURLOPT_SSH_KEYDATA, Unmanaged.passUnretained(exchange).toOpaque())
  }
}

private func judgeHostKey(
  _ easy: UnsafeMutableRawPointer?,
  _ known: UnsafePointer<curl_khkey>?,
  _ shown: UnsafePointer<curl_khkey>?,
  _ match: curl_khmatch,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return Int32(CURLKHSTAT_REJECT.rawValue) }
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  switch match {
  case CURLKHMATCH_OK: exchange.take(.believed)
  case CURLKHMATCH_MISMATCH: exchange.take(.other)
  default: exchange.take(.unknown)
  }
  let verdict = match == CURLKHMATCH_OK ? CURLKHSTAT_FINE : CURLKHSTAT_REJECT
  return Int32(verdict.rawValue)
}
