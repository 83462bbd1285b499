// TransfersTests
import Testing
