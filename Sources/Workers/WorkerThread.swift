// SPDX-License-Identifier: Apache-2.0
//
// One pthread with a name, a small stack and an end that can be waited for.
// Owns the thread from `start` to `join`. Signals are blocked on it from its first instruction,
// so that the process's signals reach the main thread only; those that a faulting instruction
// raises stay open, so that a crash handler still runs.
// Never stops a thread from outside: a body ends by returning.

internal import Glibc
internal import Synchronization

/// A thread could not be started (pthread_create(3)).
public struct ThreadError: Error, Sendable, Equatable {
  /// The error number, mostly EAGAIN: no memory or no more threads allowed.
  public let code: Int32
}

/// A named thread that whoever started it must join.
public final class WorkerThread: Sendable {
  /// Stack of a worker unless asked otherwise, in bytes: 512 KiB, ample for libcurl with TLS.
  public static let standardStackSize = 512 * 1024

  private enum Joining { case open, underway, done }

  private let thread: pthread_t
  private let life: ThreadLife
  private let joining = Monitor(Joining.open)

  private init(thread: pthread_t, life: ThreadLife) {
    self.thread = thread
    self.life = life
  }

  deinit {
    // Without a join the thread's memory would be kept until the process ends.
    if joining.withLock({ $0 == .open }) { pthread_detach(thread) }
  }

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: Shown by `top -H` and debuggers, cut to 15 bytes (proc(5), `comm`).
  ///   - stackSize: In bytes, at least 64 KiB.
  ///   - body: Runs once on the new thread.
  /// - Returns: The handle; call `join` on it.
  /// - Throws: `ThreadError` when the system refuses; `body` is then never run.
  public static func start(
    name: String,
    stackSize: Int = standardStackSize,
    body: @escaping @Sendable () -> Void
  ) throws(ThreadError) -> WorkerThread {
    let life = ThreadLife()
    let argument = Unmanaged.passRetained(ThreadStart(name: name, life: life, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, max(stackSize, 64 * 1024))

    var thread = pthread_t()
    let code = withSignalsBlocked {
      pthread_create(&thread, &attributes, threadMain, argument.toOpaque())
    }
    guard code == 0 else {
      argument.release()
      throw ThreadError(code: code)
    }
    return WorkerThread(thread: thread, life: life)
  }

  /// Whether the caller runs on this thread.
  public var isCurrent: Bool {
    // The system gives the identity of a thread that has ended to another one.
    pthread_equal(thread, pthread_self()) != 0 && !life.hasEnded.load(ordering: .acquiring)
  }

  /// Blocks until the thread's body has returned.
  ///
  /// May be called several times and from several threads, but not from the thread itself.
  public func join() {
    precondition(!isCurrent, "a thread cannot join itself")
    let isMine = joining.wait { joining -> Bool? in
      switch joining {
      case .open:
        joining = .underway
        return true
      case .underway: return nil
      case .done: return false
      }
    }
    guard isMine else { return }
    pthread_join(thread, nil)
    joining.withLock { $0 = .done }
  }
}

/// What a thread and its handle share; the body is not in it, for it ends with the thread.
private final class ThreadLife: Sendable {
  let hasEnded = Atomic(false)
}

private final class ThreadStart: Sendable {
  let name: String
  let life: ThreadLife
  let body: @Sendable () -> Void

  init(name: String, life: ThreadLife, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.life = life
    self.body = body
  }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
  nameCurrentThread(start.name.cut(toBytes: 15))
  start.body()
  start.life.hasEnded.store(true, ordering: .releasing)
  return nil
}

/// Names the calling thread for `top -H` and debuggers; no harm is done where /proc is missing.
private func nameCurrentThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  _ = write(descriptor, name, name.utf8.count)
  close(descriptor)
}

/// Runs `body` with every signal blocked that another thread can send, and restores the mask.
private func withSignalsBlocked<R>(_ body: () -> R) -> R {
  var blocked = sigset_t()
  sigfillset(&blocked)
  for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
    sigdelset(&blocked, fault)
  }
  var before = sigset_t()
  pthread_sigmask(SIG_SETMASK, &blocked, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  return body()
}

extension String {
  /// The longest beginning of whole characters that fits into so many bytes of UTF-8.
  fileprivate func cut(toBytes limit: Int) -> String {
    var end = startIndex
    while end < endIndex, utf8.distance(from: startIndex, to: index(after: end)) <= limit {
      end = index(after: end)
    }
    return String(self[..<end])
  }
}
