// SPDX-License-Identifier: Apache-2.0
//
// Behaviour: how the server answers on one path, as a value with one property a fault.

/// How requests for one path are answered.
public struct Behaviour: Sendable {
  /// What is answered.
  public enum Answer: Sendable {
    /// A file.
    case file(Content)
    /// A status with a body.
    case status(Int, body: [UInt8])
    /// A redirect with the given Location.
    case redirect(to: String, code: Int)
    /// Whatever the closure sends.
    case raw(@Sendable (RecordedRequest, ClientSocket) -> Void)
  }

  /// What becomes of a Range field.
  public enum Ranges: Sendable {
    /// 206, or 416 beyond the end.
    case honoured
    /// 200 with everything.
    case ignored
    /// 416 for every range.
    case refused
  }

  /// What stands in Content-Range while the body is what that says, `missing` and so on aside.
  public enum ContentRangeFault: Sendable {
    /// What was asked.
    case none
    /// Begins at byte 0 and carries the bytes from there.
    case zero
    /// Says and sends bytes moved by this many.
    case shift(Int64)
    /// Another total.
    case total(Int64)
    /// `*` for the total.
    case star
    /// No field.
    case missing
    /// Not a range.
    case garbage
    /// The right field over other bytes.
    case lie
  }

  /// What becomes of If-Range.
  public enum IfRange: Sendable {
    /// As RFC 9110 says.
    case honoured
    /// 200 whenever it is an entity tag.
    case tagRefused
    /// The range is sent whatever If-Range says.
    case ignored
  }

  /// Which validators are sent.
  public enum Validation: Sendable {
    case both, tag, weakTag, date, none
    /// Another tag each time, over the same date.
    case randomTag
  }

  /// How the end of the body is marked.
  public enum BodyFraming: Sendable {
    case length
    /// Chunks of this many bytes.
    case chunked(Int)
    /// Chunks without the last one.
    case chunkedCut
    /// Chunks and a Content-Length that is off by this many.
    case both(off: Int64)
    /// Neither, the connection is closed.
    case untilClose
    /// As `untilClose`, as HTTP/1.0.
    case http10
    /// A Content-Length that promises this many more than are sent, then the end.
    case promisesMore(Int64)
    /// This many bytes follow the promised ones.
    case extra(Int)
  }

  /// How a connection breaks.
  public enum Break: Sendable { case end, reset }

  /// A body that breaks off.
  public struct Cut: Sendable {
    let after: Int64
    let how: Break
    let answers: Int

    /// Breaks after so many bytes of the body, in the first answers only.
    public init(after: Int64, _ how: Break = .end, answers: Int = .max) {
      self.after = after
      self.how = how
      self.answers = answers
    }
  }

  /// Answers before the real one.
  public struct Failures: Sendable {
    let count: Int
    let status: Int
    let retryAfter: String?

    /// The first `count` requests get this status.
    public init(first count: Int, status: Int, retryAfter: String? = nil) {
      self.count = count
      self.status = status
      self.retryAfter = retryAfter
    }
  }

  /// What is answered.
  public var answer: Answer
  /// What becomes of Range.
  public var ranges = Ranges.honoured
  /// What is wrong with a part.
  public var contentRange = ContentRangeFault.none
  /// What becomes of If-Range.
  public var ifRange = IfRange.honoured
  /// Which validators are sent.
  public var validation = Validation.both
  /// How the end of the body is marked.
  public var framing = BodyFraming.length
  /// Where the body breaks off.
  public var cut: Cut?
  /// Lets the bytes of the body through as the test allows.
  public var valve: Valve?
  /// Lets the head through when the test opens it.
  public var headValve: Valve?
  /// Answers before the real one.
  public var failures: Failures?
  /// At most this many answers at once; more are refused.
  public var concurrency: Int?
  /// Whether answers over the limit are 503 (`end`) or a reset.
  public var overload = Break.end
  /// Whether a file is sent under `Content-Encoding: gzip`.
  public var isCompressed = false
  /// Lines for the head, raw and without line end.
  public var lines: [[UInt8]] = []

  /// A behaviour with the given answer and no fault.
  public init(_ answer: Answer) {
    self.answer = answer
  }

  /// Serves a file; the closure adds faults.
  public static func file(
    _ content: Content,
    _ change: (inout Behaviour) -> Void = { _ in }
  ) -> Behaviour {
    var behaviour = Behaviour(.file(content))
    change(&behaviour)
    return behaviour
  }

  /// Answers with a status and a text.
  public static func status(
    _ status: Int,
    body: String = "",
    retryAfter: String? = nil
  ) -> Behaviour {
    var behaviour = Behaviour(.status(status, body: Array(body.utf8)))
    if let retryAfter { behaviour.add("Retry-After: \(retryAfter)") }
    return behaviour
  }

  /// Redirects, perhaps with a cookie such as `name=value`.
  public static func redirect(
    to location: String,
    code: Int = 302,
    cookie: String? = nil
  ) -> Behaviour {
    var behaviour = Behaviour(.redirect(to: location, code: code))
    if let cookie { behaviour.add("Set-Cookie: \(cookie); Path=/") }
    return behaviour
  }

  /// Hands the socket to a closure.
  public static func raw(
    _ body: @escaping @Sendable (RecordedRequest, ClientSocket) -> Void
  ) -> Behaviour {
    Behaviour(.raw(body))
  }

  /// Adds a line to the head.
  public mutating func add(_ line: String) {
    lines.append(Array(line.utf8))
  }

  /// Adds a Content-Disposition with these raw bytes as its value.
  public mutating func addDisposition(_ value: [UInt8]) {
    lines.append(Array("Content-Disposition: ".utf8) + value)
  }
}
