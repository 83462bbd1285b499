// SPDX-License-Identifier: Apache-2.0
//
// ports COUNT  prints that many different TCP ports of the loopback that are free at this moment.
//
// The kernel chooses them, and they are free again when this ends; another program may take one
// before it is used, so that who uses them must be ready to ask again.

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int main(int count, char **arguments) {
  for (int left = count > 1 ? atoi(arguments[1]) : 1; left > 0; left--) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = socket(AF_INET, SOCK_STREAM, 0);
    if (one < 0 || bind(one, (struct sockaddr *)&address, size) ||
        getsockname(one, (struct sockaddr *)&address, &size)) {
      perror("ports");
      return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
  }
  return 0;
}
