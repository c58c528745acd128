"""Hands what the conformance suite tells a client to the test that is this client, and waits for it.

usage: handed.py PORT URL

PORT listens on this machine. What comes back from there is the code to end with.
"""

import json
import os
import socket
import sys


def main() -> int:
    port, url = sys.argv[1:]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "null"))
    with socket.create_connection(("127.0.0.1", int(port))) as test:
        test.sendall(json.dumps({"url": url, "context": context}).encode() + b"\n")
        return int(test.makefile().readline() or 1)


if __name__ == "__main__":
    sys.exit(main())
