// SPDX-License-Identifier: Apache-2.0
//
// DetailsMap: the ranges of a file as cells, with the places where connections write.
// Formula  a connection's place is the first hole in its segment, up to the end of that cell.
// Never    shows a cell as done that has a hole.

import Frames
import Transfers

/// The map of a transfer's ranges as lines.
struct DetailsMap {
  let row: Row
  let model: Model

  private static let rows = 4

  /// A legend and at most four lines of cells; none while the size is unknown.
  var lines: [DetailsLine] {
    guard let total = row.total, total > 0, model.size.columns > 4 else { return [] }
    let columns = model.size.columns - 2
    let count = columns * rowsUsed(total, columns)
    let cells = Array(map(total, cells: count).states(width: count))
    let lines = stride(from: 0, to: count, by: columns).map { start in
      DetailsLine.styled(
        cells[start..<min(start + columns, count)].map(glyph).joined(),
        Style(row.state.barRole)
      )
    }
    return [.heading("Ranges"), legend(total, count)] + lines
  }

  /// More than one line only for files of more than a mebibyte a cell.
  private func rowsUsed(_ total: ByteCount, _ columns: Int) -> Int {
    let wanted = (total.bytes / Int64(columns)) >> 20
    return wanted > 4 ? min(Self.rows, max(1, model.size.rows / 12)) : 1
  }

  private func legend(_ total: ByteCount, _ count: Int) -> DetailsLine {
    let cell = Figures.size(ByteCount(max(1, total.bytes / Int64(count))))
    let glyphs = model.glyphs
    return .text(
      " \(cell) a cell   \(glyphs.mapDone) done  \(glyphs.mapActive) active  \(glyphs.mapToDo) to do"
    )
  }

  private func map(_ total: ByteCount, cells: Int) -> RangeMap {
    guard Group(row.state) != .done else {
      return RangeMap(length: total.bytes, done: [0..<total.bytes])
    }
    let heads = row.live?.sample.connections.compactMap { head($0, total, cells) } ?? []
    return RangeMap(
      length: total.bytes,
      done: row.have.ranges.map { $0.lower..<$0.upper },
      active: heads
    )
  }

  /// From the first hole of a connection's segment to the end of the cell it lies in.
  private func head(
    _ connection: ConnectionSample,
    _ total: ByteCount,
    _ cells: Int
  ) -> Range<Int64>? {
    let whole = ByteRange(0, total.bytes)
    guard let segment = connection.segment.intersection(whole),
      let hole = row.have.gaps(in: segment).first
    else { return nil }
    let cell = max(1, (total.bytes + Int64(cells) - 1) / Int64(cells))
    let end = min(total.bytes, hole.lower + cell)
    return hole.lower..<end
  }

  private func glyph(_ state: RangeMap.State) -> String {
    switch state {
    case .toDo: model.glyphs.mapToDo
    case .active: model.glyphs.mapActive
    case .done: model.glyphs.mapDone
    }
  }
}
