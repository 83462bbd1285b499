#pragma once
#include <sys/statfs.h>

// Linux file calls that <fcntl.h>, <stdio.h> and <unistd.h> declare for _GNU_SOURCE only, which
// Swift's Glibc module is built without. Prototypes and values as in glibc 2.36; off64_t is long.

#define WINCH_O_PATH 010000000
#define WINCH_O_TMPFILE 020200000
#define WINCH_RENAME_NOREPLACE 1u
#define WINCH_FALLOC_KEEP_SIZE 1
#define WINCH_SYNC_FILE_RANGE_WRITE 2u

int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned int flags);
int fallocate(int descriptor, int mode, long offset, long length);
int sync_file_range(int descriptor, long offset, long length, unsigned int flags);
int syncfs(int descriptor);
