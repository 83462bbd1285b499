// SPDX-License-Identifier: Apache-2.0
//
// floor PORT PATH FILE  fetches http://127.0.0.1:PORT/PATH into FILE with nothing but the system
// calls that a download cannot do without: connect, send, recv into 512 KiB, pwrite.
//
// The floor under every downloader that receives over one connection. It understands an answer
// 200 with a Content-Length and nothing else, and fails on anything else, a short body included.

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { buffer_size = 512 * 1024 };
static char buffer[buffer_size + 1];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int connected(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address)) fail("connect");
  return server;
}

static void ask(int server, const char *path) {
  int length = snprintf(buffer, buffer_size,
                        "GET /%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
  if (length >= buffer_size || send(server, buffer, length, 0) != length) fail("send");
}

static void write_all(int file, const char *bytes, size_t count, off_t offset) {
  while (count > 0) {
    ssize_t written = pwrite(file, bytes, count, offset);
    if (written <= 0) fail("pwrite");
    bytes += written;
    count -= written;
    offset += written;
  }
}

// Reads up to the end of the head; the body bytes that came with it are moved to the front of
// the buffer. Returns how many those are, and the length of the body in `length`.
static size_t read_head(int server, long long *length) {
  size_t filled = 0;
  for (;;) {
    ssize_t got = recv(server, buffer + filled, buffer_size - filled, 0);
    if (got <= 0) fail("recv");
    filled += got;
    buffer[filled] = 0;
    char *end = strstr(buffer, "\r\n\r\n");
    if (!end) continue;
    char *field = strcasestr(buffer, "\r\nContent-Length:");
    if (strncmp(buffer, "HTTP/1.1 200", 12) || !field || field > end) fail("answer");
    *length = atoll(field + 17);
    filled -= end + 4 - buffer;
    memmove(buffer, end + 4, filled);
    return filled;
  }
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: floor PORT PATH FILE\n");
    return 2;
  }
  int server = connected(atoi(arguments[1]));
  ask(server, arguments[2]);
  int file = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) fail(arguments[3]);
  long long length, offset = 0;
  ssize_t got = read_head(server, &length);
  do {
    write_all(file, buffer, got, offset);
    offset += got;
  } while (offset < length && (got = recv(server, buffer, buffer_size, 0)) > 0);
  if (offset != length) fail("recv");
  return 0;
}
