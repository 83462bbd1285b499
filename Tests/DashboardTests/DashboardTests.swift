// DashboardTests
import Testing
