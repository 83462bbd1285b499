// SPDX-License-Identifier: Apache-2.0
//
// Runs a command in a terminal of 80 × 24 and looks at the bytes it writes there.
//
//   terminal rate DELAY WINDOW COMMAND…   after DELAY seconds, counts the bytes of WINDOW seconds;
//                                         prints: bytes-in-all  bytes-in-the-busiest-second
//                                                 CPU-percent  peak-resident-KiB
//   terminal until TEXT COMMAND…          prints the milliseconds from exec until TEXT was written
//
// The command is ended with SIGTERM, three seconds later with SIGKILL; it also dies when this
// does. What it wrote is thrown away. Fails if it ends before it was told to.

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { longest_window = 600, longest_wait = 10 };

static pid_t child;
static int terminal;
static double start;

static double seconds_since_start(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9 - start;
}

static void launch(char **command) {
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  start = seconds_since_start();
  child = forkpty(&terminal, NULL, NULL, &size);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("TERM", "xterm-256color", 1);
    execvp(command[0], command);
    _exit(127);
  }
  if (child < 0) {
    perror("forkpty");
    exit(126);
  }
}

// What the command writes before `deadline`: a count of bytes, 0 when the time is over, and -1
// when the command has closed its terminal.
static ssize_t read_until(double deadline, char *bytes, size_t room) {
  double left = deadline - seconds_since_start();
  struct pollfd readable = {.fd = terminal, .events = POLLIN};
  if (left <= 0 || poll(&readable, 1, (int)(left * 1000) + 1) == 0) return 0;
  ssize_t got = read(terminal, bytes, room);
  return got > 0 ? got : -1;
}

static struct rusage end(void) {
  char ignored[4096];
  struct rusage usage;
  kill(child, SIGTERM);
  double deadline = seconds_since_start() + 3;
  while (read_until(deadline, ignored, sizeof ignored) > 0) continue;
  while (seconds_since_start() < deadline && wait4(child, NULL, WNOHANG, &usage) == 0) {
    usleep(1000);
  }
  if (kill(child, SIGKILL) == 0) wait4(child, NULL, 0, &usage);
  return usage;
}

static void fail_early(void) {
  fprintf(stderr, "terminal: the command ended by itself\n");
  end();
  exit(1);
}

static double cpu_seconds(struct rusage usage) {
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_rate(double delay, double window) {
  static long per_second[longest_window + 1];
  char bytes[65536];
  long total = 0, busiest = 0;
  ssize_t got;
  while ((got = read_until(delay + window, bytes, sizeof bytes)) > 0) {
    double second = seconds_since_start() - delay;
    if (second < 0) continue;
    total += got;
    long *here = &per_second[(int)second < longest_window ? (int)second : longest_window];
    *here += got;
    if (*here > busiest) busiest = *here;
  }
  if (got < 0) fail_early();
  double elapsed = seconds_since_start();
  struct rusage usage = end();
  printf("%ld %ld %.2f %ld\n", total, busiest, 100 * cpu_seconds(usage) / elapsed,
         usage.ru_maxrss);
}

static void print_time_until(const char *text) {
  static char seen[1 << 20];
  size_t filled = 0;
  ssize_t got;
  while (filled < sizeof seen &&
         (got = read_until(longest_wait, seen + filled, sizeof seen - filled)) > 0) {
    filled += got;
    if (!memmem(seen, filled, text, strlen(text))) continue;
    printf("%.1f\n", seconds_since_start() * 1000);
    end();
    return;
  }
  fprintf(stderr, "terminal: '%s' did not appear\n", text);
  end();
  exit(1);
}

int main(int count, char **arguments) {
  if (count >= 5 && !strcmp(arguments[1], "rate")) {
    launch(arguments + 4);
    print_rate(atof(arguments[2]), atof(arguments[3]));
  } else if (count >= 4 && !strcmp(arguments[1], "until")) {
    launch(arguments + 3);
    print_time_until(arguments[2]);
  } else {
    fprintf(stderr, "usage: terminal rate DELAY WINDOW COMMAND... | until TEXT COMMAND...\n");
    return 2;
  }
  return 0;
}
