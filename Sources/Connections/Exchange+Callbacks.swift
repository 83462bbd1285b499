// SPDX-License-Identifier: Apache-2.0
//
// The two C functions that libcurl calls, and how they find their exchange.
//
// Threads  the run's own.
// Holds    a plain pointer that is valid while the run lasts.

internal import CCurl

extension EasyHandle {
  /// Lets libcurl call back into `exchange`, which must outlive the transfer.
  func attach(_ exchange: Exchange) {
    let context = Unmanaged.passUnretained(exchange).toOpaque()
    _ = ccurl_set_callback(raw, CURLOPT_HEADERFUNCTION, takeHeader)
    _ = ccurl_set_callback(raw, CURLOPT_WRITEFUNCTION, takeBody)
    _ = ccurl_set_pointer(raw, CURLOPT_HEADERDATA, context)
    _ = ccurl_set_pointer(raw, CURLOPT_WRITEDATA, context)
  }
}

private func takeHeader(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange.takeHeader(line) ? line.count : 0
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange.takeBody(chunk)
}
