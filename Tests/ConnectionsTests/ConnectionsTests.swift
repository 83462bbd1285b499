// ConnectionsTests
import Testing
