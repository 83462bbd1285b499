// SPDX-License-Identifier: Apache-2.0
//
// FTPBehaviour: how the scripted FTP server answers, and what it was told.

/// What an `FTPServer` does; the default is an honest server with one file for every path.
public struct FTPBehaviour: Sendable {
  /// What becomes of REST (RFC 3659 section 5).
  public enum Restart: Sendable {
    /// It is obeyed.
    case works
    /// It is refused with 502.
    case refused
    /// It is agreed to, and the file sent from its start.
    case ignored
  }

  /// The file.
  public var content: Content
  /// The answer to MDTM, nil for a server that does not know it.
  public var date: String? = "20260102030405"
  /// Whether SIZE is known.
  public var hasSize = true
  /// What the answer to RETR says in brackets.
  public var sizeInWords: Int64?
  /// What becomes of REST.
  public var restart = Restart.works
  /// Whether EPSV is known.
  public var hasEPSV = true
  /// The address in answers to PASV.
  public var passiveAddress = "127,0,0,1"
  /// The only login that is let in; nil lets everybody in.
  public var login: (user: String, password: String)?
  /// The greeting.
  public var greeting = "220 ready"
  /// Control connections beyond these are refused with 421.
  public var most = Int.max
  /// What is answered to RETR in place of the file.
  public var refusal: String?
  /// The data connection ends after so many bytes, for the first so many files.
  public var cut: (after: Int64, files: Int)?
  /// What is said after the file; nil says nothing at all.
  public var end: String? = "226 sent"
  /// Lets bytes through as the test allows.
  public var valve: Valve?

  /// Makes the behaviour of an honest server, then changes it.
  public init(_ content: Content, _ change: (inout FTPBehaviour) -> Void = { _ in }) {
    self.content = content
    change(&self)
  }
}

/// A command, with the number of its connection.
public struct FTPCommand: Hashable, Sendable {
  /// The connection, from 1.
  public let connection: Int
  /// The command in upper case.
  public let verb: String
  /// What follows it.
  public let argument: String
}
