// SPDX-License-Identifier: Apache-2.0
//
// Content-Range, Retry-After, lengths and codings, read from fields as servers really send them.

import Testing
import Transfers

@testable import Connections

@Suite struct FieldTests {
  @Test(arguments: [
    ("bytes 0-99/200", ContentRange.range(0...99, total: 200)),
    ("bytes 0-99/*", .range(0...99, total: nil)),
    ("Bytes 5-5/6", .range(5...5, total: 6)),
    ("bytes=0-99/200", .range(0...99, total: 200)),
    ("bytes  0 - 99 / 200 ", .range(0...99, total: 200)),
    ("bytes: 0-99/200", .range(0...99, total: 200)),
    (
      "bytes 4294967296-4294967299/9999999999",
      .range(4_294_967_296...4_294_967_299, total: 9_999_999_999)
    ),
    ("bytes */300000", .unsatisfied(total: 300_000)),
    ("bytes */*", .unsatisfied(total: nil)),
    ("bytes 99-0/200", .malformed),
    ("bytes 0-200/200", .malformed),
    ("bytes 0-99", .malformed),
    ("bytes 0-/200", .malformed),
    ("bytes -1-9/200", .malformed),
    ("bytes 0-99/20x", .malformed),
    ("bytes 0-99999999999999999999/*", .malformed),
    ("items 0-99/200", .malformed),
    ("", .malformed),
    ("by", .malformed),
  ])
  func contentRangesAreReadOrMalformed(_ text: String, _ range: ContentRange) {
    #expect(ContentRange(parsing: Array(text.utf8)) == range)
  }

  @Test(arguments: [
    ("2", Duration.seconds(2) as Duration?),
    ("0", .zero),
    ("Wed, 01 May 2024 10:00:30 GMT", .seconds(30)),
    ("Wednesday, 01-May-24 10:00:30 GMT", .seconds(30)),
    ("Wed May  1 10:00:30 2024", .seconds(30)),
    ("Wed, 01 May 2024 09:00:00 GMT", .zero),
    ("99999999999999999999999", .seconds(31_536_000)),
    ("4000000000", .seconds(31_536_000)),
    ("-5", nil),
    ("soon", nil),
    ("", nil),
  ])
  func retryAfterIsSecondsOrADate(_ text: String, _ wait: Duration?) {
    let now = WallTime(seconds: 1_714_557_600)  // 2024-05-01 10:00:00 UTC
    #expect(head([ResponseField("Retry-After", text)], now: now).retryAfter == wait)
  }

  @Test(arguments: [
    ([("Content-Length", "7")], 7 as Int64?, Framing.length),
    ([("Content-Length", "0")], 0, .length),
    ([("Content-Length", "7"), ("Content-Length", "8")], 8, .length),
    ([("Content-Length", "-7")], nil, .untilClose),
    ([("Content-Length", "7 bytes")], nil, .untilClose),
    ([("Content-Length", "99999999999999999999")], nil, .untilClose),
    ([("Content-Length", "7"), ("Transfer-Encoding", "Chunked")], nil, .chunked),
    ([("Transfer-Encoding", "gzip, chunked")], nil, .chunked),
    ([("Content-Length", "7"), ("Content-Encoding", "gzip")], nil, .length),
    ([("Content-Length", "7"), ("Content-Encoding", "identity")], 7, .length),
    ([("Content-Length", "7"), ("Content-Encoding", "")], 7, .length),
    ([], nil, .untilClose),
  ])
  func lengthAndFramingAreOnlyWhatIsCertain(
    _ fields: [(String, String)],
    _ length: Int64?,
    _ framing: Framing
  ) {
    let head = head(fields.map { ResponseField($0.0, $0.1) })
    #expect(head.contentLength == length)
    #expect(head.framing == framing)
  }

  @Test func absentFieldsAreNil() {
    let head = head([])
    #expect(head.contentRange == nil)
    #expect(head.acceptsRanges == nil)
    #expect(head.contentDisposition == nil)
    #expect(head.contentType == nil)
    #expect(head.retryAfter == nil)
    #expect(head.validators == Validators())
  }

  @Test func acceptRangesNoneIsARefusal() {
    #expect(head([ResponseField("Accept-Ranges", "none")]).acceptsRanges == false)
    #expect(head([ResponseField("accept-ranges", "Bytes")]).acceptsRanges == true)
  }

  private func head(
    _ fields: [ResponseField],
    now: WallTime = WallTime(seconds: 0)
  ) -> ResponseHead {
    let link = request("http://h/").link
    return ResponseHead(status: 200, fields: fields, link: link, receivedAt: now)
  }
}
