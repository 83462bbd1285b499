// SPDX-License-Identifier: Apache-2.0
//
// Tests of Validators.compare: every pairing of tags against every pairing of dates.

import Testing
import Transfers

private let monday = "Mon, 01 Jan 2024 00:00:00 GMT"
private let tuesday = "Tue, 02 Jan 2024 00:00:00 GMT"

/// How the tags of two answers relate, and what follows when dates agree, differ or are missing.
private struct Row: Sendable {
  let first: String?
  let second: String?
  let equalDates: Sameness
  let otherDates: Sameness
  let noDates: Sameness
}

private let table = [
  // The strong tag agrees: the date does not matter.
  Row(first: "\"a\"", second: "\"a\"", equalDates: .same, otherDates: .same, noDates: .same),
  // A weak tag agrees: a date that differs says otherwise.
  Row(
    first: "W/\"a\"",
    second: "W/\"a\"",
    equalDates: .same,
    otherDates: .different,
    noDates: .unknown
  ),
  // The tags differ.
  Row(
    first: "\"a\"",
    second: "\"b\"",
    equalDates: .doubtful,
    otherDates: .different,
    noDates: .different
  ),
  Row(
    first: "W/\"a\"",
    second: "W/\"b\"",
    equalDates: .doubtful,
    otherDates: .different,
    noDates: .different
  ),
  Row(
    first: "\"a\"",
    second: "W/\"a\"",
    equalDates: .doubtful,
    otherDates: .different,
    noDates: .different
  ),
  // One answer or both have no tag: only the dates count.
  Row(first: "\"a\"", second: nil, equalDates: .same, otherDates: .different, noDates: .unknown),
  Row(
    first: "W/\"a\"",
    second: nil,
    equalDates: .same,
    otherDates: .different,
    noDates: .unknown
  ),
  Row(first: nil, second: nil, equalDates: .same, otherDates: .different, noDates: .unknown),
  // An empty header value is no value.
  Row(first: "", second: "", equalDates: .same, otherDates: .different, noDates: .unknown),
  Row(first: "", second: "\"a\"", equalDates: .same, otherDates: .different, noDates: .unknown),
]

@Suite struct `Comparing validators` {
  @Test(arguments: table)
  fileprivate func `tags and dates decide together whether it is the same file`(row: Row) {
    let dates: [(String?, String?, Sameness)] = [
      (monday, monday, row.equalDates), (monday, tuesday, row.otherDates),
      (nil, nil, row.noDates), (monday, nil, row.noDates), (nil, monday, row.noDates),
      ("", "", row.noDates), ("", monday, row.noDates),
    ]
    for (one, other, sameness) in dates {
      let left = Validators(entityTag: row.first, lastModified: one)
      let right = Validators(entityTag: row.second, lastModified: other)
      #expect(left.compare(right) == sameness, "\(left) and \(right)")
      #expect(right.compare(left) == sameness, "\(right) and \(left)")
    }
  }

  @Test(
    arguments: [
      ("\"a\"", "\"a\""), ("\"\"", "\"\""), ("W/\"a\"", nil), ("w/\"a\"", nil), ("a", nil),
      ("", nil), (nil, nil),
    ] as [(String?, String?)]
  )
  func `only a quoted tag without W is strong`(tag: String?, strong: String?) {
    #expect(Validators(entityTag: tag, lastModified: monday).strongTag == strong)
  }
}
