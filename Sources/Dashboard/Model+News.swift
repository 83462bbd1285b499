// SPDX-License-Identifier: Apache-2.0
//
// Model, news: what the message line says when a transfer gets into trouble.
//
// Holds    one sentence for a failure, a retry, a full disk, a wait; success shows in the row itself.
// Never    says anything twice: only a state that was not there before is news.

import Transfers

extension Model {
  /// Says what is new about transfers that are about to be taken in.
  mutating func tellNews(of changed: [Transfer]) {
    for news in changed.compactMap(news) { say(news, isStamped: true) }
  }

  /// The line about a transfer that is not as it was; nil when that is not worth one.
  private func news(of transfer: Transfer) -> String? {
    guard transfers[transfer.id]?.transfer.state != transfer.state,
      let what = trouble(transfer.state)
    else { return nil }
    return "\(shown(transfer.name)): \(what)"
  }

  private func trouble(_ state: TransferState) -> String? {
    switch state {
    case .failed(let failure), .paused(.diskFull(let failure)):
      failure.short
    case .paused(.scheduled(let hold)):
      hold.told(settings.localTime, wall)
    case .waitingForRetry(let wait):
      "\(wait.failure.short), next try in \(Figures.elapsed(wait.until - now))"
    case .queued, .connecting, .downloading, .stalled, .paused(.byUser), .verifying, .finished,
      .cancelled:
      nil
    }
  }
}
