// SPDX-License-Identifier: Apache-2.0
//
// Pseudo terminals for tests. The child does nothing between fork and exec but exec, so it may be
// started from a program with threads.

#define _GNU_SOURCE
#include "CPty.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
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
    close_range(3, ~0U, 0);
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

// Starts with every signal as a shell leaves it; closes the actions.
static pid_t start(char *const arguments[], char *const environment[],
                   posix_spawn_file_actions_t *actions) {
  pid_t child;
  sigset_t none, all;
  posix_spawnattr_t attributes;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_addclosefrom_np(actions, 3);
  int code = posix_spawn(&child, arguments[0], actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(actions);
  posix_spawnattr_destroy(&attributes);
  errno = code;
  return code == 0 ? child : -1;
}

static const int append = O_WRONLY | O_CREAT | O_APPEND;

pid_t cpty_start(char *const arguments[], char *const environment[], const char *directory,
                 const char *input, const char *output, const char *error) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output, append, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, error, append, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, directory);
  return start(arguments, environment, &actions);
}

pid_t cpty_serve(char *const arguments[], char *const environment[], int connection,
                 const char *error) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int number = 0; number < 2; number++) {
    if (connection < 0) posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0);
    else posix_spawn_file_actions_adddup2(&actions, connection, number);
  }
  posix_spawn_file_actions_addopen(&actions, 2, error, append, 0600);
  return start(arguments, environment, &actions);
}

int cpty_wcwidth(unsigned scalar) { return wcwidth((wchar_t)scalar); }
