# A server whose line has a speed, and that sees what a client takes from it. For `limits` and
# `verified`.
#
# Every path is one file. What a client took is what its system has acknowledged (TCP_INFO's
# tcpi_bytes_acked), not what `send` has put into this side's own buffers. Segments are as short as
# on a real network, since on the loopback a window is a multiple of 64 KiB.

import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

# So that folders are removed then as well.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

ACKED = 120  # the place of tcpi_bytes_acked in struct tcp_info (linux/tcp.h)


class Line:
    """Serves `path` on a port of 127.0.0.1; `rate` is bytes a second for all connections."""

    def __init__(self, path, rate=None):
        self.file = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self.file).st_size
        self.rate = rate
        self.lock = threading.Lock()
        self.due = 0.0
        self.forget()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/file"
        threading.Thread(target=self.accept, daemon=True).start()

    def forget(self):
        """Begins a new measurement."""
        with self.lock:
            self.open, self.closed = {}, 0
            self.samples = []

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with self.lock:
            self.open[connection.fileno()] = connection
        try:
            with connection.makefile("rb") as lines:
                while self.answer(connection, lines):
                    pass
        except OSError:
            pass
        with self.lock:
            self.open.pop(connection.fileno(), None)
            self.closed += acked(connection)
            connection.close()

    def answer(self, connection, lines):
        head = []
        while (line := lines.readline().strip()):
            head.append(line.decode())
        if not head:
            return False
        asked = re.search(r"range: bytes=(\d+)-(\d*)", "\n".join(head), re.I)
        start = int(asked[1]) if asked else 0
        end = min(int(asked[2]) + 1 if asked and asked[2] else self.size, self.size)
        connection.sendall(
            f"HTTP/1.1 {206 if asked else 200} OK\r\nETag: \"one\"\r\nAccept-Ranges: bytes\r\n"
            f"Content-Length: {end - start}\r\nContent-Range: bytes {start}-{end - 1}/{self.size}"
            "\r\n\r\n".encode()
        )
        while start < end:
            count = min(end - start, 256 * 1024)
            self.wait(count)
            start += os.sendfile(connection.fileno(), self.file, start, count)
        return True

    def wait(self, count):
        """Waits for the turn of so many bytes; at most 10 ms are made up for."""
        if self.rate is None:
            return
        with self.lock:
            now = time.monotonic()
            self.due = max(self.due, now - 0.01) + count / self.rate
            pause = self.due - now
        if pause > 0:
            time.sleep(pause)

    def taken(self):
        with self.lock:
            return self.closed + sum(acked(each) for each in self.open.values())


def acked(connection):
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
    except OSError:
        return 0
    return struct.unpack_from("Q", info, ACKED)[0]


def winch_binary(given):
    """The binary to measure: the one given, else a fresh build."""
    if given:
        return os.path.realpath(given)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    subprocess.run(["make", "--no-print-directory", "-C", root, "build"], check=True)
    return os.path.join(root, ".build/release/winch")
