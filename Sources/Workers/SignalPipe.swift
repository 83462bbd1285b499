// SPDX-License-Identifier: Apache-2.0
//
// Brings signals to the main queue by a pipe that the signal handler writes to (self-pipe trick).
// Owns the process's one such pipe, and the handlers by signal number; they run on the main queue.
// The signal handler itself only writes one byte: it may interrupt any thread at any place.
// Dispatch's own signal sources are not used: on Linux they send a signal that a thread caught on
// to the thread that made the source, where their manager thread never sees it (event_epoll.c).

// Dispatch does not say on Linux that its sources, which are thread-safe, are Sendable.
@preconcurrency internal import Dispatch
internal import Glibc
internal import Synchronization

/// Where the signal handler finds the pipe; an atomic, since a handler may not wait for a lock.
private let writeEnd = Atomic<Int32>(-1)

private func passOn(_ number: Int32) {
  let interrupted = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
  errno = interrupted
}

/// The pipe from the signal handler to the main queue.
final class SignalPipe: Sendable {
  static let shared = SignalPipe()

  private struct Handlers {
    var byID: [Int: (number: Int32, work: @MainActor @Sendable () -> Void)] = [:]
    var lastID = 0
  }

  private let handlers: Monitor<Handlers>
  private let source: RenderSource

  private init() {
    var ends: [Int32] = [-1, -1]
    // A pipe refused at start-up means that the process could not open a file either.
    precondition(pipe(&ends) == 0, "no pipe for signals: \(errno)")
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    let (readEnd, handlers) = (ends[0], Monitor(Handlers()))
    writeEnd.store(ends[1], ordering: .relaxed)
    self.handlers = handlers
    let readable = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .main)
    source = RenderSource(readable) { SignalPipe.deliver(from: readEnd, to: handlers) }
  }

  /// Adds a handler; from here on the signal does nothing else.
  ///
  /// - Returns: What takes the handler away again.
  func add(_ number: Int32, _ work: @escaping @MainActor @Sendable () -> Void) -> RenderSource {
    let id = handlers.withLock { handlers in
      handlers.lastID += 1
      handlers.byID[handlers.lastID] = (number, work)
      return handlers.lastID
    }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = passOn
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
    return RenderSource { [handlers] in
      _ = handlers.withLock { $0.byID.removeValue(forKey: id) }
    }
  }

  @MainActor
  private static func deliver(from readEnd: Int32, to handlers: Monitor<Handlers>) {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(readEnd, &bytes, bytes.count)
    for byte in bytes.prefix(max(count, 0)) {
      let works = handlers.withLock { handlers in
        handlers.byID.values.filter { $0.number == Int32(byte) }.map(\.work)
      }
      for work in works { work() }
    }
  }
}
