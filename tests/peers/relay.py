"""A program that speaks on standard input and output what a port of this machine speaks.

usage: relay.py PORT
"""

import os
import socket
import sys
import threading


def main() -> None:
    port = socket.create_connection(("127.0.0.1", int(sys.argv[1])))

    def send() -> None:
        while some := os.read(0, 1 << 16):
            port.sendall(some)
        port.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    while some := port.recv(1 << 16):
        while some:
            some = some[os.write(1, some) :]


if __name__ == "__main__":
    main()
