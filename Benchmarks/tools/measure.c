// SPDX-License-Identifier: Apache-2.0
//
// measure LOG COMMAND…  runs a command and prints what it cost, on one line:
//
//   wall-seconds  user-seconds  system-seconds  peak-resident-KiB
//
// The command reads nothing, and what it says goes into LOG. The costs are those that wait4(2)
// reports for the child and the children it waited for. Ends with the status of the command, or
// 128 + the signal that ended it; the command dies when `measure` does.

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

static void become(const char *log, char **command) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int null = open("/dev/null", O_RDONLY);
  int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (null >= 0 && out >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0) {
    execvp(command[0], command);
  }
  perror(command[0]);
  _exit(127);
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: measure LOG COMMAND...\n");
    return 2;
  }
  double start = seconds_now();
  pid_t child = fork();
  if (child == 0) become(arguments[1], arguments + 2);
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    perror("measure");
    return 126;
  }
  printf("%.4f %.4f %.4f %ld\n", seconds_now() - start, seconds(usage.ru_utime),
         seconds(usage.ru_stime), usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
