// SPDX-License-Identifier: Apache-2.0
//
// AnswerCheck: every kind of head against every kind of expectation.

import Connections
import Testing
import Transfers

@testable import Engine

/// What was expected, for the tables below.
private enum Wanted: String, CaseIterable {
  /// The first request of a new transfer.
  case first
  /// The first request, without a Range field.
  case plain
  /// Resuming at byte 400 of 1000 with If-Range and the tag.
  case resumed
  /// The same with the date.
  case resumedByDate
  /// The same without any validator.
  case resumedBlind
  /// A further connection of one run, from byte 600.
  case extra
  /// A further connection where the first answer had no validators.
  case extraBlind

  var expectation: Engine.Expectation {
    let start: Int64 =
      switch self {
      case .first, .plain: 0
      case .resumed, .resumedByDate, .resumedBlind: 400
      case .extra, .extraBlind: 600
      }
    let isBlind = self == .resumedBlind || self == .extraBlind
    let joins = start > 0
    let condition: Condition =
      if !joins || isBlind { .none } else { self == .resumedByDate ? .date : .tag }
    return Engine.Expectation(
      start: start,
      withRange: self != .plain,
      isProbe: self != .extra && self != .extraBlind,
      joins: joins,
      total: joins ? 1000 : nil,
      validators: joins && !isBlind
        ? Validators(entityTag: "\"a\"", lastModified: "Mon") : Validators(),
      condition: condition
    )
  }
}

private func head(_ status: Int, _ fields: [(String, String)]) -> ResponseHead {
  ResponseHead(
    status: status,
    fields: fields.map { ResponseField($0.0, $0.1) },
    link: link("http://one.test/file")
  )
}

private let tag = ("etag", "\"a\"")
private let date = ("last-modified", "Mon")

private func range(_ text: String) -> (String, String) { ("content-range", text) }

extension AnswerVerdict {
  fileprivate var word: String {
    switch self {
    case .accept(let start, let total, let isRanged):
      "accept \(start) of \(total.map(String.init) ?? "?")\(isRanged ? " ranged" : "")"
    case .empty: "empty"
    case .askWithoutRange: "without range"
    case .askWithDate: "with date"
    case .unproven(let failure): "unproven \(failure.kind)"
    case .differs(let failure): "differs \(failure.kind)"
    case .foreign(let failure): "foreign \(failure.kind)"
    case .changed(let failure): "changed \(failure.kind)"
    case .expired(let failure): "expired \(failure.kind)"
    case .failed(let failure, let after):
      "failed \(failure.kind)\(after.map { " after \(Int($0.inSeconds))" } ?? "")"
    }
  }
}

@Suite struct AnswerCheckTests {
  private func expect(
    _ wanted: Wanted,
    _ status: Int,
    _ fields: [(String, String)],
    _ word: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let verdict = wanted.expectation.judge(head(status, fields)).word
    #expect(verdict == word, "\(wanted): \(status) \(fields)", sourceLocation: location)
  }

  @Test func aWholeFileIsTakenFromTheBeginningOnly() {
    expect(.first, 200, [("content-length", "1000"), tag], "accept 0 of 1000")
    expect(.first, 200, [], "accept 0 of ?")
    expect(.plain, 200, [("content-length", "0")], "accept 0 of 0")
    expect(.first, 200, [("content-length", "9"), ("content-encoding", "gzip")], "accept 0 of ?")
    expect(
      .first,
      200,
      [("transfer-encoding", "chunked"), ("content-length", "9")],
      "accept 0 of ?"
    )
  }

  @Test func theWholeFileInPlaceOfAPartIsNeverJoined() {
    let whole = ("content-length", "1000")
    expect(.resumed, 200, [whole, tag, date], "with date")
    expect(.resumed, 200, [whole, ("etag", "\"b\""), date], "with date")
    expect(.resumedByDate, 200, [whole, tag, date], "foreign wrongRange")
    expect(.resumedByDate, 200, [whole, ("last-modified", "Tue")], "changed changed")
    expect(.resumedByDate, 200, [("content-length", "9"), tag, date], "changed changed")
    expect(.resumedBlind, 200, [whole], "changed changed")
    expect(.extra, 200, [whole, tag, date], "with date")
    expect(.extraBlind, 200, [whole], "changed changed")
  }

  @Test func aPageInPlaceOfTheFileIsToldFromAnotherVersion() {
    expect(
      .resumed,
      200,
      [("content-length", "7"), ("content-type", "text/plain")],
      "failed notTheFile"
    )
    expect(.extra, 200, [("content-length", "7")], "failed notTheFile")
    expect(.resumed, 200, [], "failed notTheFile")
  }

  @Test func aPartIsTakenWhenStartTotalAndValidatorsAgree() {
    expect(.first, 206, [range("bytes 0-999/1000"), tag], "accept 0 of 1000 ranged")
    expect(.first, 206, [range("bytes 0-99/1000")], "accept 0 of 1000 ranged")
    expect(.resumed, 206, [range("bytes 400-999/1000"), tag, date], "accept 400 of 1000 ranged")
    expect(.resumed, 206, [range("bytes 400-999/1000"), tag], "accept 400 of 1000 ranged")
    expect(.resumed, 206, [range("bytes 400-999/*"), tag], "accept 400 of 1000 ranged")
    expect(.resumedByDate, 206, [range("bytes 400-999/1000"), date], "accept 400 of 1000 ranged")
    expect(.extra, 206, [range("bytes 600-999/1000"), tag, date], "accept 600 of 1000 ranged")
    expect(.extraBlind, 206, [range("bytes 600-999/1000")], "accept 600 of 1000 ranged")
    expect(.extra, 206, [range("bytes 600-999/1000")], "accept 600 of 1000 ranged")
  }

  @Test func theEndOfAPartIsNotTheEndOfTheFile() {
    expect(.first, 206, [range("bytes 0-999/*")], "without range")
    expect(.plain, 206, [range("bytes 0-999/*")], "foreign wrongRange")
  }

  @Test func aPartThatIsSeveralOrLongerThanItSaysIsForeign() {
    let several = ("content-type", "Multipart/ByteRanges; boundary=x")
    let part = range("bytes 400-999/1000")
    expect(.first, 206, [range("bytes 0-999/1000"), several], "without range")
    expect(.resumed, 206, [part, tag, several], "foreign wrongRange")
    expect(.first, 206, [range("bytes 0-99/1000"), ("content-length", "101")], "without range")
    expect(.resumed, 206, [part, tag, ("content-length", "601")], "foreign wrongRange")
    let short = [part, tag, ("content-length", "9")]
    expect(.resumed, 206, short, "accept 400 of 1000 ranged")
  }

  @Test func twoLengthsAreNone() {
    let lengths = [("content-length", "1000"), ("content-length", "100")]
    expect(.first, 200, lengths, "failed badAnswer")
    expect(.first, 200, [("content-length", "1000, 100")], "failed badAnswer")
    expect(.extra, 206, lengths + [range("bytes 600-999/1000"), tag], "failed badAnswer")
    expect(.first, 200, lengths + [("transfer-encoding", "chunked")], "accept 0 of ?")
    expect(.first, 200, [lengths[0], lengths[0]], "accept 0 of 1000")
  }

  @Test func aPartFromAnotherPlaceIsForeign() {
    for text in ["bytes 0-599/1000", "bytes 401-999/1000", "bytes 300-999/1000", "bytes ???", "x"] {
      expect(.resumed, 206, [range(text), tag, date], "foreign wrongRange")
    }
    expect(.resumed, 206, [tag, date], "foreign wrongRange")
    expect(.extra, 206, [range("bytes 500-999/1000"), tag], "foreign wrongRange")
    expect(.first, 206, [range("bytes 1-999/1000"), tag], "without range")
    expect(.first, 206, [], "without range")
    expect(.plain, 206, [range("bytes 1-999/1000")], "foreign wrongRange")
  }

  @Test func anotherLengthOrVersionIsAChange() {
    expect(.resumed, 206, [range("bytes 400-899/900"), tag, date], "changed wrongLength")
    expect(.extra, 206, [range("bytes 600-899/900"), tag, date], "changed wrongLength")
    let part = range("bytes 400-999/1000")
    expect(.resumed, 206, [part, ("etag", "\"b\""), ("last-modified", "Tue")], "changed changed")
    expect(.resumed, 206, [part, ("etag", "\"b\"")], "changed changed")
    expect(.resumedByDate, 206, [part, ("last-modified", "Tue")], "changed changed")
  }

  @Test func aTagThatMovesOverTheSameDateIsNotBelieved() {
    let part = range("bytes 400-999/1000")
    expect(.resumed, 206, [part, ("etag", "\"b\""), date], "unproven changed")
    expect(.extra, 206, [range("bytes 600-999/1000"), ("etag", "\"b\""), date], "foreign changed")
  }

  @Test func bytesOfAnEarlierRunNeedProof() {
    expect(.resumed, 206, [range("bytes 400-999/1000")], "unproven changed")
    expect(.resumedBlind, 206, [range("bytes 400-999/1000")], "unproven changed")
    expect(.resumedBlind, 206, [range("bytes 400-999/1000"), tag], "unproven changed")
  }

  @Test func aCodedPartIsNotJoined() {
    let coded = ("content-encoding", "gzip")
    expect(.resumed, 206, [range("bytes 400-999/1000"), tag, coded], "foreign unwantedCoding")
    expect(.first, 206, [range("bytes 0-999/1000"), tag, coded], "without range")
  }

  @Test func anUnsatisfiedRangeIsJudgedByItsLength() {
    expect(.first, 416, [range("bytes */0")], "empty")
    expect(.first, 416, [range("bytes */1000")], "without range")
    expect(.first, 416, [], "without range")
    expect(.plain, 416, [], "failed wrongRange")
    expect(.resumed, 416, [range("bytes */300")], "changed changed")
    expect(.resumed, 416, [range("bytes */1000")], "foreign wrongRange")
    expect(.resumed, 416, [], "foreign wrongRange")
  }

  @Test func otherStatusesAreFailures() {
    for wanted in Wanted.allCases {
      expect(wanted, 404, [], "failed notFound")
      expect(wanted, 403, [], "failed refused")
      expect(wanted, 500, [], "failed serverError")
      expect(wanted, 503, [("retry-after", "7")], "failed serverBusy after 7")
      expect(wanted, 429, [], "failed serverBusy")
      expect(wanted, 204, [], "failed badAnswer")
      expect(wanted, 101, [], "failed badAnswer")
    }
  }

  @Test func theLengthOfAnEarlierVersionIsNotTakenForTheNew() {
    let again = Engine.Expectation(
      start: 0,
      withRange: true,
      isProbe: true,
      joins: false,
      total: 1000,
      validators: Validators(entityTag: "\"a\""),
      condition: .none
    )
    let verdict = again.judge(head(206, [range("bytes 0-299/*"), ("etag", "\"b\"")]))
    #expect(verdict.word == "without range")
  }
}
