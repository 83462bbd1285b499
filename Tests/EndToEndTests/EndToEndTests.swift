// EndToEndTests
import Testing
