// SPDX-License-Identifier: Apache-2.0
//
// Exchange, with servers that send no heads: ftp and sftp.
//
// Threads  the run's own, as all of it.

internal import CCurl
internal import Transfers

extension Exchange {
  /// Takes what known_hosts says to the server's key.
  func take(_ key: HostKey) {
    file?.hostKey = key
  }

  /// Takes the end of a transfer that brought no byte; true when that is an answer of its own.
  func takeEnd(_ code: CURLcode) -> Bool {
    guard let file, head == nil, ending == nil else { return false }
    let told = pair.easy.told
    switch code {
    case CURLE_OK: return tellEnd(file.headOfNothing(told))
    case CURLE_BAD_DOWNLOAD_RESUME: return tellEnd(file.unsatisfied(told.rest))
    case CURLE_FTP_COULDNT_USE_REST: return tellEnd(file.unsatisfied(nil))
    default: return false
    }
  }

  /// Why an answer that only a proxy can have given is no file; nil when it may be one.
  ///
  /// What asks for a login is the proxy also with http (RFC 9110 section 15.5.8). From an FTP server
  /// it can pass on a file, but no redirect, and a page only where one was asked for.
  func proxyFault(_ head: ResponseHead) -> Failure? {
    if head.status == 407 {
      return Failure(.proxyRefused, code: 407, detail: "the proxy asks for a login")
    }
    guard isFetchedByProxy else { return nil }
    if (300...399).contains(head.status) {
      return Failure(.notTheFile, code: head.status, detail: "the proxy leads elsewhere")
    }
    let isPage = head.contentType?.lowercased().hasPrefix("text/html") == true
    guard head.status == 200, isPage, !head.link.isPage else { return nil }
    return Failure(.notTheFile, code: 200, detail: "the proxy sends a page in place of the file")
  }

  private func tellEnd(_ told: FileAnswer.Head) -> Bool {
    _ = tell(told.status, told.fields)
    return true
  }

  func takeReply(_ line: UnsafeRawBufferPointer) -> Bool {
    if file?.replies.take(line) == true { return true }
    return end(.error(.failure(Failure(.badAnswer, detail: "endless replies"))))
  }

  /// Tells the head before the first byte; false ends the exchange.
  func announce(_ file: FileAnswer, _ chunk: UnsafeRawBufferPointer) -> Bool {
    let told = pair.easy.told
    announced = told.rest
    let link = trail.current.text
    if file.start == 0 { beginnings.note(chunk, of: link) }
    let isFromTheStart = file.start > 0 && file.isFTP && beginnings.hold(chunk, of: link)
    let head = isFromTheStart ? file.unsatisfied(nil) : file.head(of: told)
    return tell(head.status, head.fields)
  }
}

extension Link {
  /// Whether its name is that of a page.
  fileprivate var isPage: Bool {
    let name = lastName?.lowercased() ?? ""
    return name.hasSuffix(".html") || name.hasSuffix(".htm")
  }
}
