#pragma once
#include <sqlite3.h>

// What Swift cannot reach: a variadic function, and SQLITE_TRANSIENT, a cast macro.

// Keeps the last close from moving the journal into the database, so that a file that is only
// looked at stays as it is. https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
static inline int winch_checkpoint_on_close(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !enabled, (int *)0);
}

// Binds a copy of `length` bytes of UTF-8. https://www.sqlite.org/c3ref/bind_blob.html
static inline int winch_bind_text(sqlite3_stmt *statement, int column, const char *text,
                                  int length) {
  return sqlite3_bind_text(statement, column, text, length, SQLITE_TRANSIENT);
}
