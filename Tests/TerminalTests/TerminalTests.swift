// TerminalTests
import Testing
