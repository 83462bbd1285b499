// SPDX-License-Identifier: Apache-2.0
//
// Pseudo terminals for tests. The child does nothing between fork and exec but exec, so it may be
// started from a program with threads.

#define _GNU_SOURCE
#include "CPty.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static struct winsize size_of(int rows, int columns) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  return size;
}

int cpty_spawn(const char *path, char *const arguments[], char *const environment[], int rows,
               int columns, pid_t *child) {
  struct winsize size = size_of(rows, columns);
  int master;
  *child = forkpty(&master, NULL, NULL, &size);
  if (*child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(path, arguments, environment);
    _exit(127);
  }
  if (*child > 0) fcntl(master, F_SETFD, FD_CLOEXEC);
  return *child > 0 ? master : -1;
}

int cpty_open(int *master, int *slave, int rows, int columns) {
  struct winsize size = size_of(rows, columns);
  if (openpty(master, slave, NULL, NULL, &size) != 0) return -1;
  fcntl(*master, F_SETFD, FD_CLOEXEC);
  fcntl(*slave, F_SETFD, FD_CLOEXEC);
  return 0;
}

int cpty_resize(int master, int rows, int columns) {
  struct winsize size = size_of(rows, columns);
  return ioctl(master, TIOCSWINSZ, &size);
}

int cpty_ended(pid_t child, int *code) {
  int status;
  pid_t ended = waitpid(child, &status, WNOHANG);
  if (ended <= 0) return ended;
  *code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return 1;
}

int cpty_wcwidth(unsigned scalar) { return wcwidth((wchar_t)scalar); }
