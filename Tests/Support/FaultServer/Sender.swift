// SPDX-License-Identifier: Apache-2.0
//
// Sender: puts one reply on the wire with the framing, the breaks and the pace of its behaviour.

struct Sender {
  private static let step: Int64 = 64 * 1024

  let behaviour: Behaviour
  let reply: Reply
  let request: RecordedRequest
  let socket: ClientSocket
  let progress: (Int64) -> Void

  /// Sends the reply; the connection is closed where that belongs to it.
  func send() {
    behaviour.headValve.map { _ = $0.take(upTo: 1) }
    guard socket.send(head) else { return socket.end() }
    guard sendBody(), sendEnd() else { return }
    if closes { socket.end() }
  }

  private var head: [UInt8] {
    var head: [UInt8] = []
    let version = if case .http10 = behaviour.framing { "HTTP/1.0" } else { "HTTP/1.1" }
    let own = ["\(version) \(reply.status) \(reasonPhrase(reply.status))"] + framingLines
    for line in own.map({ Array($0.utf8) }) + reply.lines {
      head += line + [13, 10]
    }
    return head + [13, 10]
  }

  private var framingLines: [String] {
    switch behaviour.framing {
    case .length, .extra: ["Content-Length: \(reply.body.count)"]
    case .chunked, .chunkedCut: ["Transfer-Encoding: chunked"]
    case .both(let off):
      ["Transfer-Encoding: chunked", "Content-Length: \(reply.body.count + off)"]
    case .untilClose: ["Connection: close"]
    case .http10: []
    case .promisesMore(let more): ["Content-Length: \(reply.body.count + more)"]
    }
  }

  private var closes: Bool {
    switch behaviour.framing {
    case .length, .chunked, .both: false
    case .chunkedCut, .untilClose, .http10, .promisesMore, .extra: true
    }
  }

  private var cutAt: Int64? {
    guard let cut = behaviour.cut, request.turn <= cut.answers else { return nil }
    return cut.after < reply.body.count ? cut.after : nil
  }

  /// Sends the bytes piece by piece; false when the connection has ended on the way.
  private func sendBody() -> Bool {
    var done: Int64 = 0
    let end = cutAt ?? reply.body.count
    while done < end {
      let wanted = min(Self.step, end - done)
      let count = behaviour.valve?.take(upTo: wanted) ?? wanted
      guard count > 0, socket.send(framed(slice(done..<(done + count)))) else {
        socket.end()
        return false
      }
      done += count
      progress(done)
    }
    guard cutAt != nil, let cut = behaviour.cut else { return true }
    socket.end(cut.how)
    return false
  }

  private func sendEnd() -> Bool {
    switch behaviour.framing {
    case .chunked, .both: socket.send("0\r\n\r\n")
    case .extra(let count): socket.send([UInt8](repeating: 0x58, count: count))
    case .length, .chunkedCut, .untilClose, .http10, .promisesMore: true
    }
  }

  private func slice(_ range: Range<Int64>) -> [UInt8] {
    switch reply.body {
    case .bytes(let bytes):
      return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    case .file(let content, let part):
      let start = part.lowerBound + range.lowerBound
      return content.bytes(start..<(part.lowerBound + range.upperBound))
    }
  }

  private func framed(_ bytes: [UInt8]) -> [UInt8] {
    let size: Int
    switch behaviour.framing {
    case .chunked(let count): size = max(1, count)
    case .chunkedCut, .both: size = 10_000
    case .length, .untilClose, .http10, .promisesMore, .extra: return bytes
    }
    var framed: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let chunk = bytes[start..<min(start + size, bytes.count)]
      framed += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
    }
    return framed
  }
}

private func reasonPhrase(_ status: Int) -> String {
  switch status {
  case 200: "OK"
  case 206: "Partial Content"
  case 302: "Found"
  case 404: "Not Found"
  case 416: "Range Not Satisfiable"
  case 429: "Too Many Requests"
  case 503: "Service Unavailable"
  default: "Status"
  }
}
