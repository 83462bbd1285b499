// SPDX-License-Identifier: Apache-2.0
//
// What ftp, ftps and sftp need of libcurl's options beside those of every request.
//
// Holds    bytes are always asked for to the end of the file and the connection is cut where enough
//          have come: for a range with an end libcurl would wait for the server's word within a call,
//          and close the connection all the same.
// Never    trusts an address in a PASV answer, and sends no login in the clear where the server offers
//          TLS.

internal import CCurl
internal import Transfers

extension EasyHandle {
  /// Sets what a request without heads needs; both objects must outlive the transfer.
  func applyFile(_ request: ConnectionRequest, _ exchange: Exchange, _ sockets: OpenSockets) {
    attach(sockets)
    _ = ccurl_set_offset(raw, CURLOPT_RESUME_FROM_LARGE, curl_off_t(request.range.start))
    set(CURLOPT_FILETIME, 1)
    // A proxy that speaks http gets the login in a field, and not in a line that it may write down.
    set(CURLOPT_REQUEST_TARGET, request.link.text)
    // Logging in counts as connecting here; Patience bounds the phases.
    let limit = request.timeouts.connect + request.timeouts.untilBytes
    set(CURLOPT_CONNECTTIMEOUT_MS, limit.milliseconds)
    set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, request.timeouts.firstByte.milliseconds / 1000))
    switch request.link.origin.scheme {
    case .http, .https: break
    case .ftp: applyFTP(hasLogin(request.link) ? CURLUSESSL_TRY : CURLUSESSL_NONE)
    case .ftps: applyFTP(CURLUSESSL_ALL)
    case .sftp: checkHostKey(for: exchange)
    }
  }

  /// Sets one way to log in to an SSH server.
  func apply(_ login: SSHLogin) {
    set(CURLOPT_USERNAME, login.user)
    set(CURLOPT_PASSWORD, login.password)
    set(CURLOPT_SSH_PRIVATE_KEYFILE, login.key)
    set(CURLOPT_SSH_AUTH_TYPES, Int(login.types))
  }

  /// What libcurl knows of the file that is about to come.
  var told: FileAnswer.Told {
    let rest = Int64(ccurl_get_offset(raw, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))
    let modified = Int64(ccurl_get_offset(raw, CURLINFO_FILETIME_T))
    return FileAnswer.Told(rest: rest < 0 ? nil : rest, modified: modified < 0 ? nil : modified)
  }

  private func applyFTP(_ encryption: curl_usessl) {
    set(CURLOPT_USE_SSL, Int(encryption.rawValue))
    set(CURLOPT_FTPSSLAUTH, Int(CURLFTPAUTH_TLS.rawValue))
    set(CURLOPT_FTP_SKIP_PASV_IP, 1)
  }

  private func hasLogin(_ link: Link) -> Bool {
    link.login != nil || Home.netrcNames(link.origin.host)
  }
}

extension Timeouts {
  /// From TCP until the first byte of a file: greeting, login and some commands.
  var untilBytes: Duration { firstByte + firstByte }
}
