// SPDX-License-Identifier: Apache-2.0
//
// The entry point: reads the command line and hands over to the command.

Program.run(ArgumentVector.take())
