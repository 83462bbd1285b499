// SPDX-License-Identifier: Apache-2.0
//
// DiskRecorder: writes down, in order, what a program does to the files below one directory.
//
//   LD_PRELOAD=libDiskRecorder.so DISK_ROOT=/dir DISK_LOG=/log program
//
// A change is made and noted under one lock, so the log has the true order. A sync is noted when it
// begins and when it has ended: what was noted before its beginning is durable at its end.
// SQLite's calls are seen too; its shared memory file is not, since nothing in it has to last.
//
//   DISK_INODES=new:old,new:old…    makes files pass for the ones of an earlier time
//
// A file without a name (O_TMPFILE) gets it by a link that has an inode.
//
// A log entry is six 64-bit numbers (what, thread, inode, offset, two lengths), then two texts or
// bytes of those lengths. RecordedDisk.swift reads it.

#define _GNU_SOURCE
#include "DiskRecorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum what { CREATE = 1, WRITE, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, SYNC_FILE, SYNC_NAMES, SYNC_ALL, SYNCED, NAMELESS };

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static int log_file = -1;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("DISK_LOG");
  root = getenv("DISK_ROOT");
  if (root && path)
    log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Paths: absolute, of files below the root.

static int is_below(const char *path) {
  size_t length = log_file >= 0 ? strlen(root) : 0;
  size_t end = strlen(path);
  if (length == 0 || strncmp(path, root, length) != 0 || path[length] != '/') return 0;
  return end < 4 || strcmp(path + end - 4, "-shm") != 0;
}

static int path_of(int file, char path[PATH_MAX]) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, PATH_MAX - 1);
  path[count < 0 ? 0 : count] = 0;
  return is_below(path);
}

static int path_at(int directory, const char *name, char path[PATH_MAX]) {
  char base[PATH_MAX] = "";
  if (name[0] == '/') snprintf(path, PATH_MAX, "%s", name);
  else if (directory == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) base[0] = 0;
  } else path_of(directory, base);
  if (name[0] != '/' && snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) path[0] = 0;
  return is_below(path);
}

static uint64_t inode_of(int file) {
  struct stat status;
  return syscall(SYS_fstat, file, &status) == 0 ? status.st_ino : 0;
}

static int exists(const char *path) {
  return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

// The log.

static void put(const void *bytes, size_t count) {
  for (const char *next = bytes; count > 0;) {
    ssize_t done = syscall(SYS_write, log_file, next, count);
    if (done <= 0) abort();
    next += done;
    count -= done;
  }
}

static void note(enum what what, uint64_t inode, uint64_t offset, const void *one, size_t one_count,
                 const void *two, size_t two_count) {
  uint64_t head[] = {what, syscall(SYS_gettid), inode, offset, one_count, two_count};
  put(head, sizeof head);
  put(one, one_count);
  put(two, two_count);
}

static void note_names(enum what what, uint64_t inode, const char *one, const char *two) {
  note(what, inode, 0, one, strlen(one), two, strlen(two));
}

#define LOCK() pthread_mutex_lock(&order)
#define UNLOCK() do { int kept = errno; pthread_mutex_unlock(&order); errno = kept; } while (0)

// Opening.

typedef int open_call(int, const char *, int, ...);

static int is_nameless(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

static int opened(open_call *call, int directory, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  if (!(flags & (O_CREAT | O_TRUNC) || is_nameless(flags)) || !path_at(directory, name, path))
    return call(directory, name, flags, mode);
  if (is_nameless(flags)) {
    LOCK();
    int file = call(directory, name, flags, mode);
    if (file >= 0) note_names(NAMELESS, inode_of(file), path, "");
    UNLOCK();
    return file;
  }
  LOCK();
  int is_new = !exists(path);
  int file = call(directory, name, flags, mode);
  if (file >= 0 && is_new) note_names(CREATE, inode_of(file), path, "");
  if (file >= 0 && !is_new && flags & O_TRUNC) note(TRUNCATE, inode_of(file), 0, "", 0, "", 0);
  UNLOCK();
  return file;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & O_CREAT || is_nameless(flags)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *name, int flags, ...) { MODE(flags) return opened(REAL(openat), AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return opened(REAL(openat), AT_FDCWD, name, flags, mode); }
int openat(int directory, const char *name, int flags, ...) { MODE(flags) return opened(REAL(openat), directory, name, flags, mode); }
int openat64(int directory, const char *name, int flags, ...) { MODE(flags) return opened(REAL(openat), directory, name, flags, mode); }

// Bytes.

static ssize_t written(int file, const void *bytes, size_t count, off_t offset) {
  char path[PATH_MAX];
  if (!path_of(file, path)) return REAL(pwrite)(file, bytes, count, offset);
  LOCK();
  ssize_t done = REAL(pwrite)(file, bytes, count, offset);
  if (done > 0) note(WRITE, inode_of(file), offset, bytes, done, "", 0);
  UNLOCK();
  return done;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return written(file, bytes, count, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return written(file, bytes, count, offset); }

static int truncated(int file, off_t length) {
  char path[PATH_MAX];
  if (!path_of(file, path)) return REAL(ftruncate)(file, length);
  LOCK();
  int result = REAL(ftruncate)(file, length);
  if (result == 0) note(TRUNCATE, inode_of(file), length, "", 0, "", 0);
  UNLOCK();
  return result;
}

int ftruncate(int file, off_t length) { return truncated(file, length); }
int ftruncate64(int file, off_t length) { return truncated(file, length); }

// Names.

#define CHANGE(what, call, inode, one, two) \
  LOCK(); \
  int result = call; \
  if (result == 0) note_names(what, inode, one, two); \
  UNLOCK(); \
  return result

static int moved(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  char one[PATH_MAX], two[PATH_MAX];
  if (!path_at(from_directory, from, one) || !path_at(to_directory, to, two))
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
  CHANGE(RENAME, (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags), 0, one, two);
}

int rename(const char *from, const char *to) { return moved(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  return moved(from_directory, from, to_directory, to, 0);
}
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  return moved(from_directory, from, to_directory, to, flags);
}
int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  char one[PATH_MAX], two[PATH_MAX];
  const char *descriptor = "/proc/self/fd/";
  if (strncmp(from, descriptor, strlen(descriptor)) == 0 && path_at(to_directory, to, two)) {
    CHANGE(LINK, REAL(linkat)(from_directory, from, to_directory, to, flags),
           inode_of(atoi(from + strlen(descriptor))), two, two);
  }
  if (!path_at(from_directory, from, one) || !path_at(to_directory, to, two))
    return REAL(linkat)(from_directory, from, to_directory, to, flags);
  CHANGE(LINK, REAL(linkat)(from_directory, from, to_directory, to, flags), 0, one, two);
}
int unlinkat(int directory, const char *name, int flags) {
  char path[PATH_MAX];
  if (!path_at(directory, name, path)) return REAL(unlinkat)(directory, name, flags);
  CHANGE(UNLINK, REAL(unlinkat)(directory, name, flags), 0, path, "");
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int mkdir(const char *name, mode_t mode) {
  char path[PATH_MAX];
  if (!path_at(AT_FDCWD, name, path)) return REAL(mkdir)(name, mode);
  CHANGE(MKDIR, REAL(mkdir)(name, mode), 0, path, "");
}

// Syncs.

static int synced(int (*call)(int), int file, int is_all) {
  char path[PATH_MAX];
  if (!path_of(file, path)) return call(file);
  struct stat status;
  int is_directory = syscall(SYS_fstat, file, &status) == 0 && S_ISDIR(status.st_mode);
  LOCK();
  note_names(is_all ? SYNC_ALL : is_directory ? SYNC_NAMES : SYNC_FILE, status.st_ino, path, "");
  UNLOCK();
  int result = call(file);
  LOCK();
  if (result == 0) note_names(SYNCED, 0, "", "");
  UNLOCK();
  return result;
}

int fsync(int file) { return synced(REAL(fsync), file, 0); }
int fdatasync(int file) { return synced(REAL(fdatasync), file, 0); }
int syncfs(int file) { return synced(REAL(syncfs), file, 1); }

// Inodes: a file that was put back after a power cut has another number than it had. Numbers that
// are not listed are moved out of the way.

static ino_t passing_for(ino_t inode) {
  const char *next = getenv("DISK_INODES");
  if (!next) return inode;
  while (*next) {
    char *end;
    ino_t new = strtoull(next, &end, 10), old = strtoull(end + 1, &end, 10);
    if (new == inode) return old;
    next = *end ? end + 1 : end;
  }
  return inode + (1ull << 40);
}

#define PASSING(call) \
  int result = call; \
  if (result == 0) status->st_ino = passing_for(status->st_ino); \
  return result

int fstat(int file, struct stat *status) { PASSING(REAL(fstat)(file, status)); }
int fstat64(int file, struct stat64 *status) { PASSING(REAL(fstat64)(file, status)); }
int stat(const char *name, struct stat *status) { PASSING(REAL(stat)(name, status)); }
int stat64(const char *name, struct stat64 *status) { PASSING(REAL(stat64)(name, status)); }
int lstat(const char *name, struct stat *status) { PASSING(REAL(lstat)(name, status)); }
int lstat64(const char *name, struct stat64 *status) { PASSING(REAL(lstat64)(name, status)); }
int fstatat(int directory, const char *name, struct stat *status, int flags) {
  PASSING(REAL(fstatat)(directory, name, status, flags));
}
int fstatat64(int directory, const char *name, struct stat64 *status, int flags) {
  PASSING(REAL(fstatat64)(directory, name, status, flags));
}
