// EngineTests
import Testing
