// FramesTests
import Testing
