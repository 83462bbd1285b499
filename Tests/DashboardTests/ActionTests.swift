// SPDX-License-Identifier: Apache-2.0
//
// The table of actions against everything made from it: key map, footer, help.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct ActionTests {
  @Test(arguments: [Action.Places.list, .details])
  func `no key has two actions in one place`(place: Action.Places) {
    let keys = Action.table.filter { $0.places.contains(place) }.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
  }

  @Test func `every key of the table is in the key map of its places`() {
    for action in Action.table {
      for key in action.keys {
        for place in [Action.Places.list, .details] where action.places.contains(place) {
          #expect(KeyMap.action(for: key, in: place) == action.id)
        }
      }
    }
  }

  @Test func `every action is in the help with all its keys`() {
    for columns in [20, 40, 80, 200] {
      let text = HelpScreen.lines(in: Size(columns: columns, rows: 24)).joined(separator: "\n")
      for action in Action.table {
        #expect(text.contains(action.labels))
        #expect(text.contains(action.help))
      }
    }
  }

  @Test func `help entries do not run into each other`() {
    for action in Action.table {
      #expect(action.labels.utf8.count < 14)
      #expect(action.help.utf8.count <= 17)
    }
  }

  @Test func `keys in the footer do what their word says`() throws {
    var dashboard = mockUpDashboard(200, 40)
    for _ in mockUp {
      for item in Footer(list: dashboard.state).items {
        let action = try #require(Action.table.first { $0.id == item.id })
        #expect(action.places.contains(.list))
        #expect(item.label == action.keys[0].label)
        #expect(item.word == action.word || item.id == .pause && item.word == "Resume")
      }
      dashboard.press(.character("j"))
    }
  }

  @Test(arguments: mockUp)
  func `the footer offers nothing that the row cannot do`(transfer: Transfer) {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.loaded([transfer]), now: at(0))
    let offered = Set(Footer(list: dashboard.state).items.map(\.id))
    for (key, id) in [
      (Key.character("p"), Action.ID.pause), (.character("r"), .retry), (.character("c"), .clear),
    ] {
      #expect(dashboard.press(key).isEmpty == !offered.contains(id))
    }
  }

  @Test func `an unknown key is told once`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.press(.character("x"))
    #expect(dashboard.state.notice.text == "no such key here, ? lists them")
    _ = dashboard.update(.notice("something else"), now: at(41))
    dashboard.press(.character("X"), .function(9))
    #expect(dashboard.state.notice.text == "something else")
  }
}
