// SPDX-License-Identifier: Apache-2.0
//
// Fixture: short ways to write links, transfers, samples, times and keys.

import Frames
import Transfers

@testable import Dashboard

let kibibyte: Int64 = 1024
let mebibyte: Int64 = 1024 * kibibyte
let gibibyte: Int64 = 1024 * mebibyte

/// Seconds on the monotonic clock.
func at(_ seconds: Double) -> Moment { Moment(nanoseconds: Int64(seconds * 1e9)) }

/// A link as Connections would make it.
func link(_ host: String, _ path: String, scheme: Scheme = .https) -> Link {
  let origin = Origin(scheme: scheme, host: host, port: scheme == .https ? 443 : 80)
  return Link(text: "\(scheme.rawValue)://\(host)\(path)", origin: origin, path: path, login: nil)
}

/// A request for a link as the test's judge makes it.
func request(_ link: Link) -> TransferRequest {
  TransferRequest(mirrors: [link], directory: "/home/ada/Downloads")
}

/// A judge with the rules of the real one as far as the tests need them: a line that begins with a
/// blank belongs to the one above.
@Sendable func judge(_ line: String) -> LineVerdict {
  if line.isEmpty || line.hasPrefix(" ") { return .nothing }
  if line.contains(" ") { return .notALink("not a link") }
  if line.hasPrefix("rtsp://") { return .unsupportedScheme("rtsp") }
  let scheme: Scheme? =
    line.hasPrefix("https://") ? .https : line.hasPrefix("http://") ? .http : nil
  let rest = scheme.map { line.dropFirst($0.rawValue.count + 3) } ?? Substring(line)
  let host = rest.prefix { $0 != "/" }
  guard host.contains(".") else { return .notALink("no host") }
  let made = link(
    String(host),
    String(rest.dropFirst(host.count)),
    scheme: scheme ?? .https
  )
  return scheme == nil ? .noScheme(request(made)) : .good(request(made), note: "")
}

/// Midnight of a day, so that times of day are easy to write.
private let midnight: Int64 = 20_000 * 86_400

func wall(_ hour: Int64, _ minute: Int64, _ second: Int64 = 0) -> WallTime {
  WallTime(seconds: midnight + hour * 3600 + minute * 60 + second)
}

let testSettings = Settings(
  version: "0.1.0",
  jobs: "4 at once",
  home: "/home/ada",
  judge: { $0.map(judge) },
  localTime: { LocalTime($0) }
)

/// A transfer in a state.
func transfer(
  _ number: Int64,
  _ name: String,
  host: String = "example.org",
  size: Int64? = nil,
  have: Int64 = 0,
  _ state: TransferState = .queued,
  checksum: Checksum? = nil,
  trust: Trust = .system,
  resumable: Bool = true
) -> Transfer {
  let request = TransferRequest(
    mirrors: [link(host, "/pub/\(number)")],
    directory: "/home/ada/Downloads",
    name: name,
    checksum: checksum,
    trust: trust
  )
  let validators = Validators(entityTag: "\"5f3-61a\"")
  let answer = size.map {
    Answer(
      name: name,
      total: ByteCount($0),
      validators: validators,
      isResumable: resumable
    )
  }
  return Transfer(
    id: TransferID(number),
    request: request,
    addedAt: wall(12, 0),
    state: state,
    answer: answer,
    have: have > 0 ? ByteRangeSet([ByteRange(0, have)]) : ByteRangeSet()
  )
}

/// A sample of a running transfer whose bytes lie at the start of each connection's part.
func sample(
  _ transfer: Transfer,
  received: Int64,
  connections count: Int64
) -> TransferSample {
  let total = transfer.total?.bytes ?? received
  let connections = (0..<count).map { index in
    ConnectionSample(
      number: Int(index) + 1,
      host: transfer.request.link.origin.host,
      phase: index == 2 ? .waiting : .receiving,
      segment: ByteRange(total * index / count, total * (index + 1) / count),
      received: ByteCount(received / count)
    )
  }
  let have = connections.map {
    ByteRange($0.segment.lower, min($0.segment.upper, $0.segment.lower + received / count))
  }
  return TransferSample(
    id: transfer.id,
    received: ByteCount(received),
    connections: connections,
    have: ByteRangeSet(have)
  )
}

/// A dashboard with one of the sizes of the mock-ups.
func dashboard(_ columns: Int, _ rows: Int, glyphs: Glyphs = .unicode) -> Dashboard {
  Dashboard(size: Size(columns: columns, rows: rows), glyphs: glyphs, settings: testSettings)
}

extension Dashboard {
  /// Presses keys at second 40, each after the picture was presented.
  @discardableResult
  mutating func press(_ keys: Key...) -> [Effect] {
    keys.flatMap { key in
      framePresented()
      return update(.key(key), now: at(40))
    }
  }
}

extension Dashboard {
  /// Presses letters, as `press` does.
  @discardableResult
  mutating func type(_ letters: String) -> [Effect] {
    letters.flatMap { press(.character($0)) }
  }
}
