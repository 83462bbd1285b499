// SPDX-License-Identifier: Apache-2.0
//
// The list of the mock-ups: fourteen transfers, every state, a name in Japanese, figures that moved
// for forty seconds.

import Frames
import Transfers

@testable import Dashboard

private let digest = Checksum(algorithm: .sha256, digest: (0..<32).map { UInt8($0 * 7) })

/// The transfers of the mock-ups, as they stand at second 40.
let mockUp: [Transfer] = {
  let busy = RetryWait(
    failure: .status(503),
    attempt: 3,
    limit: 8,
    until: at(40) + .seconds(42)
  )
  let full = Failure(.diskFull, code: 28, detail: "needs 7.7 GiB, 1.1 GiB free")
  let checked = Completion(at: wall(12, 41), verification: .checked(.sha256))
  let plain = Completion(at: wall(12, 30), verification: .lengthOnly)
  return [
    transfer(
      1,
      "debian-12.5.0-amd64-netinst.iso",
      host: "images.deb.example",
      size: 629 * mebibyte,
      .downloading
    ),
    transfer(
      2,
      "日本語ドキュメント集_2026年版.tar.zst",
      host: "mirror.example.jp",
      size: 1240 * mebibyte,
      .downloading,
      checksum: digest
    ),
    transfer(
      3,
      "ubuntu-24.04.3-live-server-amd64.iso",
      host: "releases.ub.example.com",
      size: 3124 * mebibyte,
      .downloading,
      trust: .anything
    ),
    transfer(4, "fedora-workstation-42.x86_64.iso", host: "dl.fedora.example", .connecting),
    transfer(
      5,
      "dataset-part-003.parquet",
      host: "data.example.net",
      size: 812 * mebibyte,
      have: 268 * mebibyte,
      .stalled
    ),
    transfer(
      6,
      "nightly-build.img",
      host: "ci.example.com",
      size: 2458 * mebibyte,
      have: 1573 * mebibyte,
      .waitingForRetry(busy)
    ),
    transfer(
      7,
      "linux-6.18.tar.xz",
      host: "cdn.kernel.example.org",
      size: 141 * mebibyte,
      have: 57 * mebibyte,
      .paused(.byUser)
    ),
    transfer(
      8,
      "archlinux-2026.11.01-x86_64.iso",
      host: "geo.mirror.example",
      size: 1178 * mebibyte,
      have: 1178 * mebibyte,
      .verifying,
      checksum: digest
    ),
    transfer(
      9,
      "alpine-standard-3.22.0-x86_64.iso",
      host: "dl.alpine.example",
      size: 241 * mebibyte,
      .queued
    ),
    transfer(10, "openwrt-24.10-imagebuilder.tar.zst", host: "downloads.openwrt.example", .queued),
    transfer(
      11,
      "old-release.zip",
      host: "old.example.org",
      size: 18 * mebibyte,
      have: 922 * kibibyte,
      .failed(.status(404))
    ),
    transfer(
      12,
      "backup-2026-10.tar",
      host: "nas.example.lan",
      size: 64 * gibibyte,
      have: 57_651 * mebibyte,
      .paused(.diskFull(full))
    ),
    transfer(
      13,
      "rust-1.92.0.tar.xz",
      host: "static.rust.example",
      size: 312 * mebibyte,
      have: 312 * mebibyte,
      .finished(checked)
    ),
    transfer(
      14,
      "swift-6.3.1-RELEASE-debian12.tar.gz",
      host: "download.swift.example",
      size: 998 * mebibyte,
      have: 998 * mebibyte,
      .finished(plain)
    ),
  ]
}()

/// The samples of one second of the mock-ups.
func mockUpSamples(second: Int) -> [TransferSample] {
  let left = Int64(40 - second)
  let wave = second < 36 ? Int64(second * 7 % 11) * 512 * kibibyte : 0
  return [
    sample(mockUp[0], received: 329 * mebibyte - left * 8407 * kibibyte + wave, connections: 8),
    sample(mockUp[1], received: 216 * mebibyte - left * 4117 * kibibyte, connections: 8),
    sample(mockUp[2], received: 2850 * mebibyte - left * 11_674 * kibibyte, connections: 4),
    sample(mockUp[4], received: 268 * mebibyte, connections: 2),
  ]
}

/// The dashboard of the mock-ups: the second row selected, two tagged.
func mockUpDashboard(_ columns: Int, _ rows: Int, glyphs: Glyphs = .unicode) -> Dashboard {
  var dashboard = dashboard(columns, rows, glyphs: glyphs)
  _ = dashboard.update(.clock(wall(12, 44)), now: at(0))
  _ = dashboard.update(.loaded(mockUp.map(before)), now: at(0))
  for second in 0...40 {
    if second == 16 { _ = dashboard.update(.changed([mockUp[4]]), now: at(16)) }
    if second == 38 { _ = dashboard.update(.changed([mockUp[3]]), now: at(38)) }
    let space = ByteCount(212 * gibibyte)
    _ = dashboard.update(
      .sampled(mockUpSamples(second: second), freeSpace: space),
      now: at(Double(second))
    )
  }
  dashboard.type("j  kk")
  _ = dashboard.update(
    .notice("nightly-build.img: server busy (503), next try in 42 s"),
    now: at(40)
  )
  dashboard.type("kj")
  dashboard.framePresented()
  return dashboard
}

/// What two transfers of the mock-ups were before they came into their state.
private func before(_ transfer: Transfer) -> Transfer {
  let earlier: TransferState =
    switch transfer.id.number {
    case 4: .queued
    case 5: .downloading
    default: transfer.state
    }
  return Transfer(
    id: transfer.id,
    request: transfer.request,
    addedAt: transfer.addedAt,
    state: earlier,
    answer: transfer.answer,
    have: transfer.have
  )
}
