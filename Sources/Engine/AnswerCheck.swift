// SPDX-License-Identifier: Apache-2.0
//
// AnswerCheck: may the bytes behind this response head be written, and if not, what then?
//
// Holds    the rule that nothing is joined without agreement: status, start, end, total length and
//          validators are compared with what is known before the first byte is written.
// Threads  pure; called from a connection's head callback.
// Source   RFC 9110 sections 13.1.5 (If-Range), 14.4 (Content-Range), 15.3.7 (206), 15.5.17 (416).

import Connections
import Transfers

/// How a request was made conditional.
enum Condition: Hashable {
  /// No If-Range.
  case none
  /// If-Range with the entity tag.
  case tag
  /// If-Range with the date.
  case date
}

/// What was asked, and what is known already.
struct Expectation {
  /// The first byte asked for.
  let start: Int64
  /// Whether a Range header was sent.
  let withRange: Bool
  /// Whether this is the first exchange of a run, with nobody else fetching.
  let isProbe: Bool
  /// Whether the bytes must fit others that came by an earlier answer.
  let joins: Bool
  /// The known length of the file.
  let total: Int64?
  /// The known validators.
  let validators: Validators
  /// The condition that was sent.
  let condition: Condition
  /// Whether the answer begins with bytes that are known, which are compared before anything is
  /// written.
  var isCompared = false
}

/// What a response head means for the transfer.
enum AnswerVerdict {
  /// The body begins at `start`; write it.
  case accept(start: Int64, total: Int64?, isRanged: Bool)
  /// The file has no bytes at all.
  case empty
  /// Ask again without a Range header.
  case askWithoutRange
  /// Ask again with the date in place of the tag.
  case askWithDate
  /// Nothing shows that these bytes belong to those on disk; an overlap could.
  case unproven(Failure)
  /// The overlap was compared, and the bytes on disk are others.
  case differs(Failure)
  /// These are not the bytes that were asked for; another try or another way may bring them.
  case foreign(Failure)
  /// The server has another file now than the one begun.
  case changed(Failure)
  /// What a redirect led to refuses; the link itself may lead to somewhere else by now.
  case expired(Failure)
  /// The server refuses or fails.
  case failed(Failure, retryAfter: Duration?)
}

extension Expectation {
  /// Judges a final response head.
  func judge(_ head: ResponseHead) -> AnswerVerdict {
    switch head.status {
    case 200 where head.hasSeveralLengths, 206 where head.hasSeveralLengths:
      .failed(
        Failure(.badAnswer, code: head.status, detail: "it tells two lengths"),
        retryAfter: nil
      )
    case 200: judgeWhole(head)
    case 206: judgePart(head)
    case 416 where withRange: judgeUnsatisfied(head)
    default: judgeRefusal(head)
    }
  }

  private func judgeRefusal(_ head: ResponseHead) -> AnswerVerdict {
    let detail = "HTTP \(head.status) \(head.reason)"
    let failure = Failure.status(head.status).withDetail(detail)
    let isPassing = [401, 403, 404, 410].contains(head.status) && !head.redirects.isEmpty
    return isPassing ? .expired(failure) : .failed(failure, retryAfter: head.retryAfter)
  }

  private func judgeWhole(_ head: ResponseHead) -> AnswerVerdict {
    if isSomethingElse(head) {
      let size = head.contentLength.map { "\($0) bytes" } ?? "unknown length"
      return .failed(
        Failure(.notTheFile, code: 200, detail: "\(size), \(head.contentType ?? "no type")"),
        retryAfter: nil
      )
    }
    if start == 0, !joins {
      return .accept(start: 0, total: head.contentLength, isRanged: false)
    }
    if condition == .tag, validators.lastModified != nil { return .askWithDate }
    if validators.compare(head.validators) == .same, agrees(head.contentLength) {
      return .foreign(Failure(.wrongRange, code: 200, detail: "the server ignores ranges"))
    }
    return .changed(Failure(.changed, code: 200, detail: "the server has another version"))
  }

  /// A page in place of the file: it has none of the validators that the file had, nor its length.
  private func isSomethingElse(_ head: ResponseHead) -> Bool {
    validators != Validators() && head.validators == Validators() && total != nil
      && head.contentLength != total
  }

  private func judgePart(_ head: ResponseHead) -> AnswerVerdict {
    guard case .range(let span, let length)? = head.contentRange, span.lowerBound == start,
      !head.hasSeveralParts
    else { return misplaced("Content-Range does not begin at byte \(start)") }
    if head.contentCoding != nil { return misplaced("a part is compressed", .unwantedCoding) }
    if let body = head.contentLength, body > span.count {
      return misplaced("\(body) bytes in place of \(span.count)")
    }
    if !agrees(length) {
      let now = length.map(String.init) ?? "?"
      return .changed(Failure(.wrongLength, code: 206, detail: "the length is now \(now)"))
    }
    if joins, let doubt = doubt(about: head.validators) { return doubt }
    // Servers send less than was asked for, so the end of a part is not that of the file.
    guard let known = length ?? (joins ? total : nil) else { return misplaced("no length is told") }
    return .accept(start: start, total: known, isRanged: true)
  }

  private func judgeUnsatisfied(_ head: ResponseHead) -> AnswerVerdict {
    var length: Int64?
    if case .unsatisfied(let told)? = head.contentRange { length = told }
    if start == 0 { return length == 0 && !joins ? .empty : misplaced("ranges are refused") }
    if let length, !agrees(length) {
      return .changed(Failure(.changed, code: 416, detail: "the file is now \(length) bytes"))
    }
    return .foreign(Failure(.wrongRange, code: 416, detail: "byte \(start) is refused"))
  }

  private func misplaced(
    _ detail: String,
    _ kind: FailureKind = .wrongRange
  ) -> AnswerVerdict {
    if start == 0, !joins, withRange { return .askWithoutRange }
    return .foreign(Failure(kind, code: 206, detail: detail))
  }

  private func agrees(_ length: Int64?) -> Bool {
    guard joins, let length, let total else { return true }
    return length == total
  }

  /// Bytes of one run belong together when nothing contradicts; bytes of an earlier run need proof.
  private func doubt(about other: Validators) -> AnswerVerdict? {
    switch validators.compare(other) {
    case .same:
      return nil
    case .different:
      return .changed(Failure(.changed, code: 206, detail: "the server has another version"))
    case .doubtful:
      let failure = Failure(.changed, code: 206, detail: "the entity tag moved")
      return isCompared ? nil : isProbe ? .unproven(failure) : .foreign(failure)
    case .unknown:
      let failure = Failure(.changed, code: 206, detail: "nothing shows it is the same file")
      return isProbe && !isCompared ? .unproven(failure) : nil
    }
  }
}

extension Failure {
  /// The same failure with another detail.
  func withDetail(_ detail: String) -> Failure {
    Failure(kind, code: code, detail: detail)
  }
}
