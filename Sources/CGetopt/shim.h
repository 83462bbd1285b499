// getopt_long(3): Swift's Glibc module lacks getopt.h, and its variables are globals that Swift 6
// does not let one read.
#pragma once
#include <getopt.h>

// Begins a new scan that prints nothing itself.
static inline void getopt_restart(void) {
  optind = 0;
  opterr = 0;
}

static inline int getopt_next_index(void) { return optind; }
static inline int getopt_culprit(void) { return optopt; }
static inline const char *getopt_argument(void) { return optarg; }
