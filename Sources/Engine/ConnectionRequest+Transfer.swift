// SPDX-License-Identifier: Apache-2.0
//
// ConnectionRequest, for one link of a transfer: the one place where what the user gave goes along.
//
// Never    gives header fields to another origin than the first link's; Connections holds that.

import Connections
import Transfers

extension ConnectionRequest {
  /// Makes a request for one of a transfer's links, with the header fields, cookies and trust that
  /// the user gave for it; the range is still to be set.
  ///
  /// - Parameters:
  ///   - link: One that the user gave, or one beside it.
  ///   - request: What the user asked for.
  init(_ link: Link, of request: TransferRequest) {
    self.init(link: link)
    headers = request.headers
    headerOrigin = request.link.origin
    trust = request.trust
    cookieFile = request.cookieFile
  }
}
