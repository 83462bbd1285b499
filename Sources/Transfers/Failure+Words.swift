// SPDX-License-Identifier: Apache-2.0
//
// Failure in words: the short form for a row of the list and the advice for the peek line.
//
// Holds    one row a kind; the short form is at most 20 cells, the advice says what to do.

extension Failure {
  // size: one row a kind

  /// At most 20 cells for the list, such as `404 not found`.
  public var short: String {
    switch kind {
    case .notFound: code == 0 ? "not found" : "\(code) not found"
    case .serverError: "server error \(code)"
    case .rejected: "rejected with \(code)"
    case .needsLogin: "needs a login"
    case .refused: "access refused"
    case .serverBusy: "server busy"
    case .redirectLoop: "redirect loop"
    case .redirectRefused: "redirect refused"
    case .wrongRange: "wrong part sent"
    case .badAnswer: "not understood"
    case .unwantedCoding: "sent compressed"
    case .changed: "file changed there"
    case .notTheFile, .isDirectory: kind == .isDirectory ? "is a directory" : "not the file"
    case .otherFile: "another file there"
    case .wrongLength: "length changed"
    case .cutShort: "cut short"
    case .noSuchHost: "no such host"
    case .cannotConnect: "cannot connect"
    case .timedOut: "timed out"
    case .connectionLost: "connection lost"
    case .certificate: "certificate bad"
    case .encryption: "TLS failed"
    case .proxyRefused: "proxy refused"
    case .hostUnknown: "host key not known"
    case .hostKeyChanged: "host key differs"
    case .checksumDiffers: "checksum differs"
    case .diskFull: "disk full"
    case .cannotWrite: "cannot write there"
    case .noDirectory: "no such directory"
    case .nameNotUsable: "name not usable"
    case .partialGone: "partial file gone"
    case .diskFault: "disk error"
    case .noDescriptors: "too many open files"
    case .notALink: "not a link"
    case .noCookieFile: "no cookie file"
    case .badNetrc: "netrc not readable"
    case .unexpected: "internal error"
    }
  }

  // size: one row a kind

  /// One sentence or two that say what happened and what helps.
  public var advice: String {
    switch kind {
    case .notFound: "The server has no such file. Check the link."
    case .serverError: "The fault is the server's; try again later."
    case .rejected: "The server rejects the request. Check the link and the headers."
    case .needsLogin: "A login is wanted: put it into the link, netrc, ssh-agent or a header."
    case .refused: "The link may have expired or need a cookie; add a fresh one."
    case .serverBusy: "The server asks to wait; try again later."
    case .redirectLoop: "The server sends us round in circles. Check the link."
    case .redirectRefused: "The server points to something that is not http or https, or drops TLS."
    case .wrongRange: "The server sent other bytes than asked; another try starts over."
    case .badAnswer: "What answers there does not speak as expected. Check scheme, host and port."
    case .unwantedCoding: "The server compresses the file in a way that cannot be undone."
    case .notTheFile: "The link now leads to something else; what is here is kept. Check it."
    case .isDirectory: "The link names a directory; add the name of a file in it."
    case .otherFile: "The new link has another file; the old link and all bytes are kept."
    case .changed: "The file on the server is not the one begun; another try starts over."
    case .wrongLength: "The server's lengths contradict each other; another try starts over."
    case .noSuchHost: "Check the spelling of the host, or your DNS."
    case .cannotConnect: "Nothing answers on that host and port; try again later."
    case .timedOut: "No answer in time; try again later."
    case .cutShort: "The connection ended before the file did; another try continues."
    case .connectionLost: "The connection broke; another try continues."
    case .certificate: "The server's certificate is not believed. --cacert FILE adds one."
    case .encryption: "TLS with the server failed; try again later."
    case .proxyRefused: "The proxy refuses; check the proxy variables of the environment."
    case .hostUnknown, .hostKeyChanged: hostKeyAdvice
    case .checksumDiffers: "These are not the expected bytes; kept as .bad. Try again."
    case .diskFull: "Paused until there is room; it continues by itself."
    case .cannotWrite: "The directory or file cannot be written. Choose another with -d."
    case .noDirectory: "The directory does not exist. Create it, then try again."
    case .nameNotUsable: "The file system does not take this name. Choose one with -o."
    case .partialGone: "Somebody moved or changed the partial file; another try starts over."
    case .diskFault: "The disk reports an error. Check it before you try again."
    case .noDescriptors: "Raise the limit (ulimit -n), or fetch less at once (-j, -n)."
    case .badNetrc: "The netrc file has a fault, perhaps a missing quote; mend it."
    case .noCookieFile: "The cookie file cannot be read; put it back or give another."
    case .notALink: "Only \(Scheme.list) links can be fetched."
    case .unexpected: "This should not happen; please report it with the log."
    }
  }
  private var hostKeyAdvice: String {
    kind == .hostKeyChanged
      ? "It is not the one in ~/.ssh/known_hosts: ask who runs the server."
      : "It is not in ~/.ssh/known_hosts; check its key, then add it with ssh."
  }
}
