// SPDX-License-Identifier: Apache-2.0
//
// RedirectTrail: the links of one chain of redirects, and whether the next may be followed.
//
// Holds    http and https only, never from https to http, at most 20 hops, no circle unless the
//          server set a cookie on the way.
// Never    takes a login from a Location.

internal import Transfers

struct RedirectTrail {
  private static let limit = 20

  private(set) var passed: [Link] = []
  private(set) var current: Link
  /// The last Content-Disposition that a redirect carried.
  private(set) var disposition: [UInt8]?
  private var seen: Set<String>

  init(from link: Link) {
    current = link
    seen = [link.text]
  }

  /// Whether an answer sends the client elsewhere (RFC 9110 section 15.4).
  static func redirects(_ head: HeadCollector) -> Bool {
    switch head.status {
    case 301, 302, 303, 307, 308: head.first("location") != nil
    default: false
    }
  }

  /// Goes one hop on.
  mutating func follow(_ head: HeadCollector) throws(Failure) {
    let location = head.first("location") ?? []
    let next = try resolve(location, head.status)
    // With a new cookie the same URL may answer something else.
    if head.first("set-cookie") != nil { seen.removeAll() }
    passed.append(current)
    guard passed.count <= Self.limit, seen.insert(next.text).inserted else {
      throw loop(to: next, head.status)
    }
    disposition = head.first("content-disposition") ?? disposition
    current = next
  }

  private func resolve(_ location: [UInt8], _ status: Int) throws(Failure) -> Link {
    let next: Link
    do throws(LinkError) {
      next = try Link(resolving: location, against: current)
    } catch {
      throw Failure(.redirectRefused, code: status, detail: "redirect refused: \(error.line)")
    }
    guard next.origin.scheme.isHTTP else {
      let detail = "redirect refused: \(next.shown) is not http or https"
      throw Failure(.redirectRefused, code: status, detail: detail)
    }
    if current.origin.scheme == .https, next.origin.scheme == .http {
      let detail = "redirect from https to \(next.shown) would give up encryption"
      throw Failure(.redirectRefused, code: status, detail: detail)
    }
    return next
  }

  private func loop(to next: Link, _ status: Int) -> Failure {
    let start = passed.lastIndex { $0.text == next.text } ?? max(0, passed.count - 3)
    let circle = passed[start...].map(\.shown) + [next.shown]
    let detail = "\(passed.count) redirects: \(circle.joined(separator: " -> "))"
    return Failure(.redirectLoop, code: status, detail: detail)
  }
}

extension HeadCollector {
  /// The raw value of the first field of that name, given in lower case.
  func first(_ name: String) -> [UInt8]? {
    fields.first { $0.name == name }?.value
  }
}
