// WorkersTests
import Testing
