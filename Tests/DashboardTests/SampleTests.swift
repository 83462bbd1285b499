// SPDX-License-Identifier: Apache-2.0
//
// Numbers once a second, bars in between, sums kept up to date, reasons that fit, names that cannot
// harm.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct SampleTests {
  private func running() -> Dashboard {
    var dashboard = dashboard(100, 24)
    _ = dashboard.update(
      .loaded([transfer(1, "a", size: 1000 * kibibyte, .downloading), transfer(2, "b")]),
      now: at(0)
    )
    return dashboard
  }

  private func sampled(_ dashboard: inout Dashboard, _ received: Int64, _ second: Double) {
    let one = sample(
      transfer(1, "a", size: 1000 * kibibyte),
      received: received,
      connections: 2
    )
    _ = dashboard.update(.sampled([one], freeSpace: nil), now: at(second))
  }

  @Test func `speed and time left are unknown until there are two samples`() {
    var dashboard = running()
    sampled(&dashboard, 0, 0)
    #expect(dashboard.draw().text[3].contains("--     --"))
    sampled(&dashboard, 100 * kibibyte, 1)
    #expect(dashboard.draw().text[3].contains("100 KiB/s   0:09  2"))
  }

  @Test func `between samples only bar and percent move`() {
    var dashboard = running()
    sampled(&dashboard, 0, 0)
    sampled(&dashboard, 100 * kibibyte, 1)
    let before = dashboard.draw().text
    let next = sample(
      transfer(1, "a", size: 1000 * kibibyte),
      received: 300 * kibibyte,
      connections: 2
    )
    _ = dashboard.update(.bars([next]), now: at(1.25))
    let after = dashboard.draw().text
    #expect(before[3].replacing(" 10%", with: " 30%").suffix(46) == after[3].suffix(46))
    #expect(before[3] != after[3] && after[3].contains("███"))
    #expect(before[0...2] == after[0...2] && before[4...] == after[4...])
  }

  @Test func `frames are needed only when something can have changed`() {
    var dashboard = running()
    sampled(&dashboard, 0, 0)
    dashboard.framePresented()
    let same = sample(transfer(1, "a", size: 1000 * kibibyte), received: 0, connections: 2)
    for message in [Message.bars([same]), .bars([]), .changed([])] {
      _ = dashboard.update(message, now: at(1))
      #expect(!dashboard.needsFrame)
    }
    _ = dashboard.update(.loaded([transfer(2, "b")]), now: at(2))
    _ = dashboard.update(.sampled([], freeSpace: nil), now: at(2))
    dashboard.framePresented()
    for second in 3...5 {
      _ = dashboard.update(.sampled([], freeSpace: nil), now: at(Double(second)))
      #expect(!dashboard.needsFrame)
    }
    _ = dashboard.update(.key(.character("j")), now: at(6))
    #expect(dashboard.needsFrame)
  }

  @Test func `speed and sparkline go with the last transfer and then all is still`() {
    var dashboard = running()
    sampled(&dashboard, 0, 0)
    sampled(&dashboard, 100 * kibibyte, 1)
    #expect(dashboard.draw().text[0].contains("100 KiB/s"))
    _ = dashboard.update(.changed([transfer(1, "a", .failed(.status(404)))]), now: at(2))
    _ = dashboard.update(.sampled([], freeSpace: nil), now: at(2))
    #expect(dashboard.draw().text[0] == " winch  1 waiting  1 failed")
    dashboard.framePresented()
    _ = dashboard.update(.sampled([], freeSpace: nil), now: at(3))
    #expect(!dashboard.needsFrame)
  }

  @Test func `a finished transfer is at 100 percent and a late sample changes nothing`() {
    var dashboard = running()
    sampled(&dashboard, 400 * kibibyte, 1)
    let done = Completion(at: wall(12, 41), verification: .checked(.sha256))
    let finished = transfer(
      1,
      "a",
      size: 1000 * kibibyte,
      have: 1000 * kibibyte,
      .finished(done)
    )
    _ = dashboard.update(.changed([finished]), now: at(2))
    sampled(&dashboard, 500 * kibibyte, 3)
    let row = dashboard.draw().text[3]
    #expect(row.contains("████████████ 100%"))
    #expect(row.contains("done 12:41, checked"))
    #expect(dashboard.state.speed == 0)
  }

  @Test func `samples of unknown transfers are left alone`() {
    var dashboard = running()
    let stranger = sample(transfer(77, "x", size: 9), received: 3, connections: 1)
    _ = dashboard.update(.sampled([stranger], freeSpace: nil), now: at(1))
    _ = dashboard.update(.bars([stranger]), now: at(1))
    #expect(dashboard.state.transfers.count == 2)
  }

  @Test func `sums agree with the rows after any history`() {
    var dashboard = mockUpDashboard(80, 24)
    _ = dashboard.update(.removed([TransferID(3), TransferID(12)]), now: at(41))
    _ = dashboard.update(
      .changed([transfer(1, "a", size: 7, have: 3, .paused(.byUser)), transfer(60, "b")]),
      now: at(41)
    )
    let list = dashboard.state.transfers
    var counted = Tally()
    for place in 0..<list.count { counted.add(Share(list[place])) }
    #expect(list.tally == counted)
    #expect(dashboard.activeCount == 5)
  }

  @Test func `done is a time today and a date before`() {
    var dashboard = dashboard(80, 24)
    let done = Completion(at: wall(12, 41), verification: .checked(.md5))
    _ = dashboard.update(.loaded([transfer(1, "a", size: 5, .finished(done))]), now: at(0))
    _ = dashboard.update(.clock(wall(13, 0)), now: at(0))
    #expect(dashboard.draw().text[3].hasSuffix("done 12:41, checked"))
    _ = dashboard.update(.clock(wall(37, 0)), now: at(0))
    #expect(dashboard.draw().text[3].hasSuffix("done 4 Oct, checked"))
  }
}

private let hostile =
  "a\u{1B}]52;c;x\u{7}\r\n\t\u{9B}31m\u{202E}fdp.exe" + String(repeating: "\u{301}", count: 400)

/// A transfer with that text wherever text from outside can be.
private func hostileTransfer(_ state: TransferState) -> Transfer {
  let request = TransferRequest(
    mirrors: [link(hostile, hostile)],
    directory: hostile,
    name: hostile
  )
  let answer = Answer(
    name: hostile,
    total: 99,
    validators: Validators(entityTag: hostile),
    isResumable: true
  )
  return Transfer(
    id: TransferID(1),
    request: request,
    addedAt: wall(1, 1),
    state: state,
    answer: answer
  )
}

private func isHarmless(_ scalar: Unicode.Scalar, isASCII: Bool) -> Bool {
  let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  let isBidiControl = (0x202A...0x202E).contains(scalar.value)
  return !isControl && !isBidiControl && (scalar.isASCII || !isASCII)
}

@Suite struct WordTests {
  private static let states: [TransferState] =
    FailureKind.allCases.flatMap { kind -> [TransferState] in
      let failure = Failure(kind, code: 599, detail: "\u{1B}[31mcurl said so")
      return [
        .failed(failure), .paused(.diskFull(failure)),
        .waitingForRetry(
          RetryWait(failure: failure, attempt: 12, limit: 20, until: at(35_999))
        ),
      ]
    } + mockUp.map(\.state) + [.cancelled] + holds

  private static let holds = [Hold.Reason.start, .hours, .quota].flatMap { reason in
    [wall(23, 0), wall(24 * 130 + 23, 0)].map {
      TransferState.paused(.scheduled(Hold(reason, until: $0)))
    }
  }

  @Test(arguments: states)
  func `every state has a reason or figures, a remedy and a letter, and all fit`(
    state: TransferState
  ) {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.clock(wall(36, 0)), now: at(0))
    _ = dashboard.update(.loaded([transfer(1, "a", size: 9, state)]), now: at(0))
    let row = dashboard.state.transfers[0]
    let reason = row.reason(dashboard.state, turn: 9999)
    #expect((reason == nil) == (state == .downloading))
    #expect(TextWidth.columns(of: reason ?? "") <= 20)
    #expect(TextWidth.columns(of: row.word(dashboard.state) ?? "") <= 6)
    #expect(dashboard.draw().text[3].hasPrefix("▌\(state.letter)"))
    if let trouble = row.trouble {
      #expect(PeekLine(row: row, model: dashboard.state).text.contains(trouble.advice))
    }
    #expect(!dashboard.draw().text.contains { $0.contains("curl said so") })
  }

  @Test func `the ten states have ten letters`() {
    let letters = Set((mockUp.map(\.state) + [.cancelled]).map(\.letter))
    #expect(letters == ["Q", "C", "D", "P", "S", "R", "V", "!", "+", "X"])
  }

  @Test(arguments: [false, true])
  func `nothing a terminal could obey comes out of hostile names`(isASCII: Bool) {
    let failed = TransferState.failed(Failure(.badAnswer, code: 1, detail: hostile))
    for state in [failed, .downloading, .queued] {
      var dashboard = dashboard(80, 24, glyphs: isASCII ? .ascii : .unicode)
      _ = dashboard.update(.loaded([hostileTransfer(state)]), now: at(0))
      _ = dashboard.update(.notice(hostile), now: at(0))
      for opening in [nil, Key.enter, .character("d"), .paste(hostile), .character("p")] {
        var shown = dashboard
        if let opening { shown.press(opening) }
        let log = [LogLine(at: wall(1, 1), text: hostile)]
        _ = shown.update(.logged(TransferID(1), log), now: at(0))
        let text = shown.draw().text.joined()
        #expect(text.unicodeScalars.allSatisfy { isHarmless($0, isASCII: isASCII) })
      }
    }
  }

  @Test func `a name with hidden characters is marked as such`() {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.loaded([transfer(1, "cv\u{202E}fdp.exe")]), now: at(0))
    #expect(dashboard.draw().text.contains { $0.contains("name has hidden characters") })
  }

  @Test func `an unchecked certificate is told in list, peek and details`() {
    for columns in [40, 80, 120] {
      var dashboard = dashboard(columns, 24)
      _ = dashboard.update(.loaded([transfer(1, "abc", trust: .anything)]), now: at(0))
      let text = dashboard.draw().text
      #expect(text.contains { $0.contains("kabc") || $0.contains("(k)abc") })
      #expect(columns < 64 || text.contains { $0.contains("certificate not checked") })
      dashboard.press(.enter)
      #expect(dashboard.draw().text.contains { $0.contains("certificate not checked") })
    }
  }
}
