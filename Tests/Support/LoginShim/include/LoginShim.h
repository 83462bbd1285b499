// SPDX-License-Identifier: Apache-2.0
// LoginShim has no interface: it is loaded before a program, see LoginShim.c.
