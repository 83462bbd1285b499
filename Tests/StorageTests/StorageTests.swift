// StorageTests
import Testing
