// SPDX-License-Identifier: Apache-2.0
//
// Reply: the head and the body that a behaviour gives one request, computed before anything is
// sent.

struct Reply {
  var status: Int
  var lines: [[UInt8]] = []
  /// The body in full, or the range of a file that is made while it is sent.
  var body: Body = .bytes([])

  enum Body {
    case bytes([UInt8])
    case file(Content, Range<Int64>)

    var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, let range): range.upperBound - range.lowerBound
      }
    }
  }

  mutating func add(_ line: String) {
    lines.append(Array(line.utf8))
  }
}

extension Behaviour {
  /// The reply to a request; nil for raw answers.
  func reply(to request: RecordedRequest) -> Reply? {
    if let failures, request.turn <= failures.count {
      var reply = Reply(status: failures.status, body: .bytes(Array("try again\n".utf8)))
      if let wait = failures.retryAfter { reply.add("Retry-After: \(wait)") }
      return reply
    }
    switch answer {
    case .file(let content):
      return isCompressed ? compressed(content) : file(content, request)
    case .status(let status, let body):
      return Reply(status: status, lines: lines, body: .bytes(body))
    case .redirect(let location, let code):
      var reply = Reply(status: code, lines: lines, body: .bytes(Array("moved\n".utf8)))
      reply.add("Location: \(location)")
      return reply
    case .raw:
      return nil
    }
  }

  private func compressed(_ content: Content) -> Reply {
    var reply = Reply(status: 200, lines: lines, body: .bytes(gzip(content.bytes)))
    reply.add("Content-Encoding: gzip")
    return reply
  }

  private func file(_ content: Content, _ request: RecordedRequest) -> Reply {
    var reply = Reply(status: 200, lines: lines, body: .file(content, 0..<content.size))
    addValidators(content, request, to: &reply)
    if case .ignored = ranges { return reply }
    reply.add("Accept-Ranges: bytes")
    guard let range = request.range(in: content.size), allows(request, content) else {
      return reply
    }
    if case .refused = ranges { return unsatisfied(reply, content) }
    return range.isEmpty ? unsatisfied(reply, content) : part(reply, content, range)
  }

  private func unsatisfied(_ whole: Reply, _ content: Content) -> Reply {
    var reply = whole
    reply.status = 416
    reply.body = .bytes([])
    switch contentRange {
    case .missing: break
    default: reply.add("Content-Range: bytes */\(content.size)")
    }
    return reply
  }

  private func part(_ whole: Reply, _ content: Content, _ range: Range<Int64>) -> Reply {
    var reply = whole
    reply.status = 206
    let (sent, line) = wire(range, content.size)
    if let line { reply.add("Content-Range: \(line)") }
    reply.body = .file(content, sent)
    return reply
  }

  /// The bytes that are sent, and the value of Content-Range.
  private func wire(_ range: Range<Int64>, _ size: Int64) -> (Range<Int64>, String?) {
    let length = range.upperBound - range.lowerBound
    func text(_ range: Range<Int64>, _ total: String) -> String {
      "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
    }
    func moved(to start: Int64) -> Range<Int64> {
      let lower = min(max(0, start), size - 1)
      return lower..<min(size, lower + length)
    }
    switch contentRange {
    case .none: return (range, text(range, "\(size)"))
    case .zero: return (moved(to: 0), text(moved(to: 0), "\(size)"))
    case .shift(let by):
      let sent = moved(to: range.lowerBound + by)
      return (sent, text(sent, "\(size)"))
    case .total(let total): return (range, text(range, "\(total)"))
    case .star: return (range, text(range, "*"))
    case .missing: return (range, nil)
    case .garbage: return (range, "bytes ???")
    case .lie: return (moved(to: 0), text(range, "\(size)"))
    }
  }

  private func allows(_ request: RecordedRequest, _ content: Content) -> Bool {
    guard let condition = request.header("If-Range") else { return true }
    switch ifRange {
    case .ignored: return true
    case .tagRefused: return condition == Self.date(content)
    case .honoured:
      if condition == Self.date(content) { return validation != .tag && validation != .none }
      return condition == Self.tag(content) && (validation == .both || validation == .tag)
    }
  }

  /// The entity tag of a file.
  public static func tag(_ content: Content) -> String {
    "\"\(content.key)-\(content.version)-\(content.size)\""
  }

  /// The Last-Modified date of a file.
  public static func date(_ content: Content) -> String {
    let minute = content.version % 60
    return "Wed, 01 May 2024 10:\(minute < 10 ? "0" : "")\(minute):00 GMT"
  }

  private func addValidators(
    _ content: Content,
    _ request: RecordedRequest,
    to reply: inout Reply
  ) {
    let date = "Last-Modified: \(Self.date(content))"
    switch validation {
    case .none: break
    case .date: reply.add(date)
    case .tag: reply.add("ETag: \(Self.tag(content))")
    case .weakTag: reply.add("ETag: W/\(Self.tag(content))")
    case .both:
      reply.add("ETag: \(Self.tag(content))")
      reply.add(date)
    case .randomTag:
      reply.add("ETag: \"\(content.version)-\(request.number)\"")
      reply.add(date)
    }
  }
}
