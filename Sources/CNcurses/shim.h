// SPDX-License-Identifier: Apache-2.0
//
// ncurses wide, with one-line functions for what Swift refuses or cannot see: global variables,
// attribute macros; and the signal handler that gives the terminal back when the program crashes,
// which must not run any Swift.

#pragma once
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <ncurses.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

static inline WINDOW *curses_window(void) { return stdscr; }
static inline int curses_colors(void) { return COLORS; }
static inline int curses_repaint_all(void) { return clearok(curscr, TRUE); }

// A file in memory whose writers append (memfd_create(2), MFD_CLOEXEC); -1 when there is none.
static inline int curses_memory_file(void) {
  int file = (int)syscall(SYS_memfd_create, "standard error", 1u);
  if (file >= 0) fcntl(file, F_SETFL, O_APPEND);
  return file;
}

// Its first and its last bytes are kept, this many of each.
#define CURSES_KEPT_END (32 * 1024)

// Gives the memory between both ends back (fallocate(2), PUNCH_HOLE | KEEP_SIZE); writers go on.
static inline void curses_memory_trim(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  if (size > 2 * CURSES_KEPT_END)
    syscall(SYS_fallocate, file, 3, (off_t)CURSES_KEPT_END, size - 2 * CURSES_KEPT_END);
}

static inline attr_t curses_bold(void) { return A_BOLD; }
static inline attr_t curses_reverse(void) { return A_REVERSE; }
static inline attr_t curses_underline(void) { return A_UNDERLINE; }
static inline attr_t curses_dim(void) { return A_DIM; }

static inline char *curses_codeset(void) { return nl_langinfo(CODESET); }

// What the crash handler needs, prepared while all is well. It lives once for each Swift file that
// calls the functions below, so exactly one file may: CrashGuard.swift.
#define CURSES_CRASH_SIGNALS 6
struct curses_crash {
  volatile sig_atomic_t armed;
  int descriptor;
  int has_termios;
  struct termios termios;
  size_t length;
  char bytes[512];
  // What was kept of standard error, and the real one; -1 for none.
  volatile sig_atomic_t kept;
  volatile sig_atomic_t error;
  int installed;
  struct sigaction previous[CURSES_CRASH_SIGNALS];
};

static inline struct curses_crash *curses_crash(void) {
  static struct curses_crash state = {.kept = -1, .error = -1};
  return &state;
}

static inline int curses_crash_signal(int index) {
  static const int signals[CURSES_CRASH_SIGNALS] = {SIGSEGV, SIGILL, SIGTRAP,
                                                    SIGBUS,  SIGFPE, SIGABRT};
  return signals[index];
}

// Puts standard error back, and both ends of what was kept of it behind the picture.
static inline void curses_crash_tell(struct curses_crash *crash) {
  static const char gap[] = "\n... some of this was left out ...\n";
  char bytes[1024];
  off_t place = 0;
  ssize_t count;
  if (crash->kept < 0) return;
  dup2(crash->error, STDERR_FILENO);
  off_t last = lseek(crash->kept, 0, SEEK_END) - CURSES_KEPT_END;
  while ((count = pread(crash->kept, bytes, sizeof bytes, place)) > 0) {
    if (write(STDERR_FILENO, bytes, (size_t)count) < 0) return;
    place += count;
    if (place != CURSES_KEPT_END || place >= last) continue;
    place = last;
    if (write(STDERR_FILENO, gap, sizeof gap - 1) < 0) return;
  }
}

// Gives the terminal back, puts the handler before ours in place and lets it see the same signal:
// a fault comes again by itself when we return, everything else is raised again.
static inline void curses_crash_handler(int number, siginfo_t *info, void *context) {
  (void)context;
  struct curses_crash *crash = curses_crash();
  if (crash->armed) {
    crash->armed = 0;
    ssize_t ignored = write(crash->descriptor, crash->bytes, crash->length);
    (void)ignored;
    if (crash->has_termios) tcsetattr(crash->descriptor, TCSANOW, &crash->termios);
    curses_crash_tell(crash);
  }
  for (int i = 0; i < CURSES_CRASH_SIGNALS; i++)
    if (curses_crash_signal(i) == number) sigaction(number, &crash->previous[i], NULL);
  int is_fault = info->si_code > 0 && number != SIGTRAP && number != SIGABRT;
  if (!is_fault) raise(number);
}

// Installs the handler once; each signal's handler before it is kept.
static inline void curses_crash_install(void) {
  struct curses_crash *crash = curses_crash();
  if (crash->installed) return;
  crash->installed = 1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = curses_crash_handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (int i = 0; i < CURSES_CRASH_SIGNALS; i++)
    sigaction(curses_crash_signal(i), &action, &crash->previous[i]);
}

// Prepares the handler; `termios` may be NULL. Longer sequences than there is room for are cut.
static inline void curses_crash_arm(int descriptor, const char *bytes, size_t length,
                                    const struct termios *termios) {
  struct curses_crash *crash = curses_crash();
  crash->armed = 0;
  crash->descriptor = descriptor;
  crash->length = length < sizeof crash->bytes ? length : sizeof crash->bytes;
  memcpy(crash->bytes, bytes, crash->length);
  crash->has_termios = termios != NULL;
  if (termios) crash->termios = *termios;
  curses_crash_install();
  crash->armed = 1;
}

static inline void curses_crash_keep(int kept, int error) {
  curses_crash()->error = error;
  curses_crash()->kept = kept;
}

static inline void curses_crash_disarm(void) { curses_crash()->armed = 0; }
