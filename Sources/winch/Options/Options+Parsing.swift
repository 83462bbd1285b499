// SPDX-License-Identifier: Apache-2.0
//
// Options+Parsing: from the words of a command line to Options.
//
// Any thread; the words are scanned by getopt_long, one command line at a time.
// `get` is a command only as the first word that is neither an option nor a value.

import Transfers

extension Options {
  /// Reads a command line.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Throws: `OptionError`, whose `line` says what to do.
  init(parsing arguments: [String]) throws(OptionError) {
    let scanned = try ScannedArguments(arguments)
    links = scanned.operands
    if links.first == "get" {
      command = .get
      links.removeFirst()
    }
    for setting in scanned.settings {
      try apply(setting.name, setting.value)
    }
    guard command == .get || command == .screen else { return }
    try checkTogether(Set(scanned.settings.map(\.name)))
  }

  private mutating func apply(_ name: OptionName, _ value: String) throws(OptionError) {
    switch name {
    case .directory: directory = try Self.path(value, for: name)
    case .output: self.name = try Self.path(value, for: name)
    case .connections: connections = try Self.connections(value)
    case .jobs: jobs = try Self.number(value, in: 1...100, for: name)
    case .input: lists.append(try Self.path(value, for: name))
    case .header: headers.append(try Self.header(value))
    case .cookies: cookieFile = try Self.path(value, for: name)
    case .checksum: checksum = try Self.checksum(value)
    case .findChecksum: findsChecksum = true
    case .mirror: mirrors.append(value)
    case .limitRate: rateLimit = try Self.limit(value)
    case .limitEach: limitEach = try Self.rate(value, for: name)
    case .startAt: startAt = try Self.startTime(value)
    case .onlyBetween: hours = try Self.hours(value)
    case .quota: quota = try Self.quota(value)
    case .caFile: trust = .file(try Self.path(value, for: name))
    case .insecure: trust = .anything
    case .state: stateDirectory = try Self.path(value, for: name)
    case .color: color = try Self.color(value)
    case .ascii: isASCII = true
    case .version: command = .version
    case .help: command = .help
    }
  }

  /// Checks what no option can say alone, and takes the path given as output apart.
  private mutating func checkTogether(_ given: Set<OptionName>) throws(OptionError) {
    if command == .get && links.isEmpty && lists.isEmpty { throw .nothingToFetch }
    let aboutOneFile = [OptionName.output, .checksum, .mirror].first(where: given.contains)
    if let aboutOneFile, links.count != 1 || !lists.isEmpty { throw .oneLinkOnly(aboutOneFile) }
    if given.isSuperset(of: [.caFile, .insecure]) { throw .contradiction(.caFile, .insecure) }
    guard let output = name else { return }
    let start = output.lastIndex(of: "/").map(output.index(after:)) ?? output.startIndex
    let last = String(output[start...])
    guard !["", ".", "..", "-"].contains(last) else {
      throw .badValue(.output, output, advice: "give the name of a file, not of a directory or -")
    }
    let folder = output[..<start]
    directory = Self.path(String(folder == "/" ? folder : folder.dropLast()), in: directory)
    name = last
  }
}
