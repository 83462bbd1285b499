// WinchTests
import Testing
