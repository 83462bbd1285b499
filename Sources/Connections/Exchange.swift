// SPDX-License-Identifier: Apache-2.0
//
// Exchange: what libcurl's callbacks see of one run: head, chunks, and the caller's verdicts.
//
// Threads  the run's own; libcurl calls back from inside `curl_multi_perform`.
// Never    outlives its run; libcurl holds a plain pointer to it meanwhile.

internal import CCurl
internal import Glibc
internal import Transfers

final class Exchange {
  /// Why the callbacks ended the exchange before libcurl would have.
  enum Ending: Equatable {
    case enough
    case error(ConnectionError)
  }

  /// What became of a chunk that was offered.
  private enum Taken {
    case all
    case part(Int)
    /// The exchange is over.
    case none
  }

  /// A redirect with a longer body is cut off instead of read.
  private static let redirectBodyLimit = 64 * 1024
  /// So is one that comes slowly.
  private static let redirectBodyPatience = Duration.seconds(1)

  /// Keeps the server from being far ahead; nil where nothing does.
  let window: ReceiveWindow?
  private let flag: CancelFlag
  let pair: HandlePair
  let beginnings: Beginnings
  private let onHead: (ResponseHead) -> HeadVerdict
  private let onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict
  private var block = HeadCollector()
  private var discarded = 0
  /// Bytes of fields behind the body.
  private var trailed = 0

  private(set) var trail: RedirectTrail
  /// What a server tells that sends no heads; nil for http.
  var file: FileAnswer?
  /// Whether a proxy that speaks http fetches from such a server for us.
  private(set) var isFetchedByProxy = false
  /// How many bytes such a server said would come.
  var announced: Int64?
  /// How many bytes of it are asked for; http sees to that itself.
  private let limit: Int64
  private(set) var head: ResponseHead?
  /// When a redirect came, until it is followed.
  private(set) var redirectedAt: Moment?
  private(set) var ending: Ending?
  private(set) var received: Int64 = 0
  /// Rises with everything that arrives.
  private(set) var activity: UInt64 = 0
  /// Whether the caller knows that nothing more is at hand.
  private var isQuiet = true
  /// When reading may go on.
  private(set) var pausedUntil: Moment?
  /// Whether libcurl holds bytes back, since a chunk came during a pause or was taken in part.
  private(set) var isHeld = false
  /// How many bytes at the start of what libcurl holds the caller has taken.
  private var taken = 0

  init(
    _ request: ConnectionRequest,
    flag: CancelFlag,
    pair: HandlePair,
    beginnings: Beginnings,
    onHead: @escaping (ResponseHead) -> HeadVerdict,
    onChunk: @escaping (UnsafeRawBufferPointer) -> ChunkVerdict
  ) {
    trail = RedirectTrail(from: request.link)
    let scheme = request.link.origin.scheme
    file = scheme.isHTTP ? nil : FileAnswer(request.range, scheme)
    limit = scheme.isHTTP ? .max : request.range.count
    window = request.window.map(ReceiveWindow.init)
    self.flag = flag
    self.pair = pair
    self.beginnings = beginnings
    self.onHead = onHead
    self.onChunk = onChunk
  }

  /// Whether the answer sends the client elsewhere.
  var isRedirected: Bool { redirectedAt != nil }

  /// Whether the body of a redirect takes longer than a new connection would.
  func isRedirectSlow(at now: Moment) -> Bool {
    redirectedAt.map { now - $0 >= Self.redirectBodyPatience } ?? false
  }

  /// Whether the caller had all it wanted.
  var hasEnough: Bool { ending == .enough }

  /// Whether chunks have come since the caller was told of silence, and no pause is on.
  var isBusy: Bool { !isQuiet && pausedUntil == nil }

  /// Takes the redirect of this hop and makes ready for the next.
  func followRedirect() throws(ConnectionError) {
    do throws(Failure) {
      try trail.follow(block)
    } catch {
      throw .failure(error)
    }
    block.clear()
    discarded = 0
    redirectedAt = nil
    ending = nil
  }

  /// Ends a pause.
  func endPause() {
    pausedUntil = nil
    isHeld = false
  }

  /// Takes a line of a head or of trailers; false ends the exchange.
  func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    if flag.isRaised { return end(.error(.cancelled)) }
    guard head == nil, !isRedirected else { return takeTrailer(line) }
    activity &+= 1
    // A proxy that speaks http fetches from ftp servers too, and answers with a head.
    if file != nil, line.starts(with: "HTTP/".utf8) { (file, isFetchedByProxy) = (nil, true) }
    if file != nil { return takeReply(line) }
    switch block.take(line) {
    case .open: return true
    case .complete: return finishBlock()
    case .tooLong: return end(.error(.failure(Failure(.badAnswer, detail: "endless head"))))
    }
  }

  /// Passes over a line behind the body, which is no sign of life: no byte of a file stands there.
  private func takeTrailer(_ line: UnsafeRawBufferPointer) -> Bool {
    trailed += line.count
    guard trailed > HeadCollector.limit else { return true }
    return end(.error(.failure(Failure(.badAnswer, detail: "endless trailers"))))
  }

  /// Takes a chunk of the body; returns what libcurl's write callback shall return.
  func takeBody(_ chunk: UnsafeRawBufferPointer) -> Int {
    if flag.isRaised { _ = end(.error(.cancelled)) }
    guard ending == nil else { return 0 }
    activity &+= 1
    if let file, head == nil, !announce(file, chunk) { return 0 }
    guard head != nil else { return discard(chunk.count) }
    guard pausedUntil == nil else { return hold() }
    let known = min(taken, chunk.count)
    taken -= known
    let wanted = Int(min(Int64(chunk.count - known), limit - received))
    let rest = UnsafeRawBufferPointer(rebasing: chunk[known..<(known + wanted)])
    if rest.isEmpty { return chunk.count }
    isQuiet = false
    switch offer(rest) {
    case .all: return isCut && !end(.enough) ? 0 : chunk.count
    case .part(let count):
      taken = known + count
      return hold()
    case .none: return 0
    }
  }

  /// Whether all that is wanted is here although the server goes on.
  private var isCut: Bool { received == limit && received != announced }

  /// Makes libcurl keep a chunk; it hands the same bytes over again after the pause, perhaps with
  /// more behind them (CURLOPT_WRITEFUNCTION, CURL_WRITEFUNC_PAUSE).
  private func hold() -> Int {
    isHeld = true
    return Int(CURL_WRITEFUNC_PAUSE)
  }

  /// Offers bytes to the caller, and obeys its verdict.
  private func offer(_ bytes: UnsafeRawBufferPointer) -> Taken {
    let verdict = onChunk(bytes)
    guard case .taken(let count, _) = verdict, count < bytes.count else {
      received += Int64(bytes.count)
      return obey(verdict) ? .all : .none
    }
    received += Int64(count)
    _ = obey(verdict)
    return .part(count)
  }

  /// Tells the caller, once after each burst of chunks, that nothing more is at hand.
  func fallQuiet() {
    guard isBusy, ending == nil else { return }
    isQuiet = true
    _ = obey(onChunk(UnsafeRawBufferPointer(start: nil, count: 0)))
  }

  private func obey(_ verdict: ChunkVerdict) -> Bool {
    switch verdict {
    case .more:
      window?.reads()
      return true
    case .taken(_, let pause):
      window?.pauses()
      pausedUntil = .now + pause
      return true
    case .enough:
      return end(.enough)
    case .stop:
      return end(.error(.stopped))
    }
  }

  private func finishBlock() -> Bool {
    // 101 is an end: what follows is another protocol, which nobody asked for.
    if (100...199).contains(block.status), block.status != 101 {
      block.clear()
      return true
    }
    let told = makeHead(block.status, block.fields, block.reason)
    if let failure = proxyFault(told) { return end(.error(.failure(failure))) }
    if RedirectTrail.redirects(block) {
      redirectedAt = .now
      return true
    }
    return tell(block.status, block.fields, block.reason)
  }

  /// Hands the head over; false ends the exchange.
  func tell(_ status: Int, _ fields: [ResponseField], _ reason: String = "") -> Bool {
    let head = makeHead(status, fields, reason)
    self.head = head
    return onHead(head) == .accept || end(.error(.rejected))
  }

  private func makeHead(
    _ status: Int,
    _ fields: [ResponseField],
    _ reason: String
  ) -> ResponseHead {
    ResponseHead(
      status: status,
      reason: reason,
      fields: fields,
      link: trail.current,
      redirects: trail.passed,
      redirectDisposition: trail.disposition,
      receivedAt: WallTime(seconds: Int64(time(nil)))
    )
  }

  private func discard(_ count: Int) -> Int {
    discarded += count
    return discarded > Self.redirectBodyLimit ? 0 : count
  }

  /// Notes why the callbacks end it; always false.
  func end(_ ending: Ending) -> Bool {
    self.ending = ending
    // libcurl would end an unfinished file in good form, and wait for the server to agree.
    if file != nil { pair.interrupt() }
    return false
  }
}

extension Moment {
  /// The monotonic clock's time.
  static var now: Moment {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
