// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, when the file that has arrived is a Metalink: the files it names take its place.
//
// Rule     a Metalink by its type or its name is followed, unless the user chose a name for it; what
//          was complete before this run is judged by its content alone. Whole or not at all: where
//          something in it cannot be used it stays a file, and the user is told why.
// Bounds   4 MiB, 1000 files.
// Never    follows what it led to: a file that a Metalink names has a name. Never hands the user's
//          secrets to another origin.
// Source   RFC 5854.

import Storage
import Transfers
import Workers

extension TransferRun {
  private static let mostFiles = 1000

  /// Follows the file if it is a Metalink.
  ///
  /// - Returns: Whether others have taken its place; it is gone then.
  func follow() -> Bool {
    let (file, isMetalink, size) = core.withLock { ($0.file, $0.isMetalink, $0.plan.have.count) }
    guard let file, transfer.request.name == nil else { return false }
    let isCalled = isMetalink == true || file.name.isMetalinkName
    guard isCalled || isMetalink == nil else { return false }
    switch read(file, size) {
    case .success(let requests):
      context.say("\(file.name): \(requests.count.filesWords)")
      guard context.replace(requests) else { return false }
      file.discard()
      return true
    case .failure(let refusal):
      if isCalled { tell("not followed, kept as a file: \(refusal.reason)", file.name) }
      return false
    }
  }

  private func tell(_ words: String, _ name: String) {
    context.note("a Metalink, \(words)")
    context.say("\(name): a Metalink, \(words)")
  }

  private func read(
    _ file: PartialFile,
    _ size: Int64
  ) -> Result<[TransferRequest], Refusal> {
    guard size <= Int64(RunContext.documentLimit) else { return .failure("longer than 4 MiB") }
    guard let bytes = try? file.beginning(Int(size)) else { return .failure("it cannot be read") }
    let described = context.describe(bytes)
    if let problem = described.problem { return .failure(Refusal(reason: problem)) }
    guard described.files.count <= Self.mostFiles
    else { return .failure("it names more than \(Self.mostFiles) files") }
    let requests = described.files.compactMap(transfer.request.following)
    guard !requests.isEmpty, requests.count == described.files.count
    else { return .failure("a file in it has no link that may be asked") }
    var seen: Set<TransferRequest> = []
    return .success(requests.filter { seen.insert($0).inserted })
  }

  /// Why a Metalink is not followed.
  private struct Refusal: Error, ExpressibleByStringInterpolation {
    let reason: String

    init(reason: String) { self.reason = reason }
    init(stringLiteral reason: String) { self.reason = reason }
  }
}

extension TransferRequest {
  /// The request for a file that this request's Metalink names; nil when no link may be asked.
  ///
  /// It is fetched as the Metalink was. Over plain HTTP for a Metalink that came over TLS only where a
  /// digest tells a forgery; with login and headers only at the Metalink's own origin.
  func following(_ file: FileDescription) -> TransferRequest? {
    let isVouchedFor = file.announced.checksum != nil
    let links = file.announced.mirrors.filter { isVouchedFor || !$0.isWeaker(than: link.origin) }
    guard let first = links.first else { return nil }
    var request = self
    request.swap(to: first)
    request.mirrors = links.map { link in
      let login = link.origin == self.link.origin ? self.link.login : nil
      return Link(text: link.text, origin: link.origin, path: link.path, login: login)
    }
    request.name = (file.name ?? first.lastName).flatMap(FileName.told) ?? "download"
    request.checksum = file.announced.checksum
    request.size = file.size
    request.pieces = file.announced.pieces
    return request
  }
}

extension String {
  fileprivate var isMetalinkName: Bool {
    let name = lowercased()
    return name.hasSuffix(".meta4") || name.hasSuffix(".metalink")
  }
}

extension Int {
  fileprivate var filesWords: String {
    self == 1 ? "its file takes its place" : "its \(self) files take its place"
  }
}

extension PartialFile {
  fileprivate func beginning(_ count: Int) throws(StorageError) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { memory.deallocate() }
    return Array(memory.prefix(try read(into: memory, at: 0)))
  }
}
