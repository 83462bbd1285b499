// SPDX-License-Identifier: Apache-2.0
//
// FTPSession: one control connection of the scripted FTP server.
//
// Threads  its own, which also sends the files.

struct FTPSession {
  let server: FTPServer
  let socket: ClientSocket
  private var user = ""
  private var isIn = false
  private var start: Int64 = 0
  private var listener: Int32?

  init(server: FTPServer, socket: ClientSocket) {
    self.server = server
    self.socket = socket
  }

  /// Serves to the end of the connection.
  mutating func serve() {
    say(server.behaviour.greeting)
    while let command = readCommand() {
      server.record(command)
      // A goodbye is never answered: whoever waits for that waits long.
      if command.verb != "QUIT" { answer(command) }
    }
    if let listener { server.drop(listener) }
  }

  private mutating func answer(_ command: FTPCommand) {
    let behaviour = server.behaviour
    switch command.verb {
    case "USER":
      user = command.argument
      say("331 password, please")
    case "PASS": logIn(command.argument, behaviour)
    case _ where !isIn: say("530 log in first")
    case "PWD": say("257 \"/\"")
    case "TYPE", "CWD": say("250 fine")
    case "SIZE": say(behaviour.hasSize ? "213 \(behaviour.content.size)" : "500 what?")
    case "MDTM": say(behaviour.date.map { "213 \($0)" } ?? "500 what?")
    case "EPSV": listen { behaviour.hasEPSV ? "229 come (|||\($0)|)" : nil }
    case "PASV": listen { "227 come (\(behaviour.passiveAddress),\($0 / 256),\($0 % 256))" }
    case "REST": restart(command.argument, behaviour)
    case "RETR": retrieve(behaviour)
    default: say("502 what?")
    }
  }

  private mutating func logIn(_ password: String, _ behaviour: FTPBehaviour) {
    isIn = behaviour.login.map { $0.user == user && $0.password == password } ?? true
    say(isIn ? "230 welcome" : "530 \(user) with \(password) is not let in")
  }

  private mutating func listen(_ answer: (UInt16) -> String?) {
    if let listener { server.drop(listener) }
    let (descriptor, port) = server.listen()
    listener = descriptor
    say(answer(port) ?? "500 what?")
  }

  private mutating func restart(_ argument: String, _ behaviour: FTPBehaviour) {
    switch behaviour.restart {
    case .works:
      start = Int64(argument) ?? 0
      say("350 from there")
    case .ignored: say("350 from there")
    case .refused: say("502 no")
    }
  }

  private mutating func retrieve(_ behaviour: FTPBehaviour) {
    defer { start = 0 }
    if let refusal = behaviour.refusal { return say(refusal) }
    guard let listener else { return say("425 no data connection") }
    self.listener = nil
    say("150 opening\(behaviour.sizeInWords.map { " (\($0) bytes)" } ?? "")")
    guard let data = server.acceptData(listener) else { return }
    send(behaviour, data)
    server.end(data)
    if let end = behaviour.end { say(end) }
  }

  private func send(_ behaviour: FTPBehaviour, _ data: ClientSocket) {
    let most = server.beginFile()
    let end = min(behaviour.content.size, most > .max - start ? .max : start + most)
    var done = start
    while done < end {
      let wanted = min(64 * 1024, end - done)
      let count = behaviour.valve?.take(upTo: wanted) ?? wanted
      guard count > 0, data.send(behaviour.content.bytes(done..<(done + count))) else { return }
      done += count
      server.count(Int(count))
    }
  }

  private func say(_ reply: String) {
    socket.send(reply + "\r\n")
  }

  private func readCommand() -> FTPCommand? {
    var line: [UInt8] = []
    while let byte = socket.read(1)?.first, byte != 10 { line.append(byte) }
    guard line.last == 13 else { return nil }
    let parts = String(decoding: line.dropLast(), as: UTF8.self).split(separator: " ", maxSplits: 1)
    return FTPCommand(
      connection: socket.number,
      verb: parts.first?.uppercased() ?? "",
      argument: parts.count > 1 ? String(parts[1]) : ""
    )
  }
}
