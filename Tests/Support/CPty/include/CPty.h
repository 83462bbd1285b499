// SPDX-License-Identifier: Apache-2.0
//
// Pseudo terminals for tests: a program started on one, or a pair in the test process itself; and
// programs started without one.

#pragma once
#include <sys/types.h>

// Starts a program on a new pseudo terminal, which becomes its controlling terminal.
// `arguments` and `environment` end with NULL. Returns the master's descriptor, or -1 with errno.
int cpty_spawn(const char *path, char *const arguments[], char *const environment[], int rows,
               int columns, pid_t *child);

// Opens a pair in this process; returns 0, or -1 with errno.
int cpty_open(int *master, int *slave, int rows, int columns);

// Sets the size of the terminal; the program on it gets SIGWINCH. Returns 0, or -1 with errno.
int cpty_resize(int master, int rows, int columns);

// Says whether a child has ended, without waiting: 1 ended, 0 not yet, -1 with errno.
// `code` gets the exit code, or minus the number of the signal that ended it.
int cpty_ended(pid_t child, int *code);

// Starts a program without a terminal of its own: it works in a directory, reads one file, appends
// to two others, has every signal as a shell leaves it and no other descriptor of this process.
// Returns its number, or -1 with errno.
pid_t cpty_start(char *const arguments[], char *const environment[], const char *directory,
                 const char *input, const char *output, const char *error);

// Starts a program whose input and output are a connection, or nothing when that is negative; it
// appends its errors to a file. Everything else is as above.
pid_t cpty_serve(char *const arguments[], char *const environment[], int connection,
                 const char *error);

// The columns the C library gives a scalar in the locale in force: wcwidth(3).
int cpty_wcwidth(unsigned scalar);
