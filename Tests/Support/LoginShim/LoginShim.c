// SPDX-License-Identifier: Apache-2.0
//
// LoginShim: gives a server that a test has started a password to check, without touching the system's.
//
//   LD_PRELOAD=libLoginShim.so LOGIN_HASH='$6$…' sshd …
//
// Every user has the password with that hash (crypt(5)), for this one process and its children.

#define _GNU_SOURCE
#include "LoginShim.h"
#include <shadow.h>
#include <stdlib.h>

struct spwd *getspnam(const char *name) {
  static struct spwd entry;
  entry = (struct spwd){
      .sp_namp = (char *)name,
      .sp_pwdp = getenv("LOGIN_HASH"),
      // Some day long ago, and no day on which anything has to be changed (shadow(5)).
      .sp_lstchg = 1,
      .sp_min = -1,
      .sp_max = -1,
      .sp_warn = -1,
      .sp_inact = -1,
      .sp_expire = -1,
  };
  return entry.sp_pwdp ? &entry : NULL;
}
