#!/usr/bin/env python3
"""shim.py COMMAND...: stands before a computing process of a worker, and does what a poisonous input would do.

A job that holds a subject with `poison-memory`, `poison-loop` or `poison-abort` in its name eats memory, never ends, or ends the
process at once. Any other job is handed to the command, and its answer back."""

import json
import os
import struct
import subprocess
import sys


def exactly(stream, length):
    read = stream.read(length)
    return read if read is not None and len(read) == length else None


def part(stream):
    head = stream.read(8)
    return head + stream.read(struct.unpack("<Q", head)[0])


def main():
    inner = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while digest := exactly(sys.stdin.buffer, 32):
        job, pack = part(sys.stdin.buffer), part(sys.stdin.buffer)
        subjects = [key["subject"] for key in json.loads(job[8:])["keys"]]
        poisons = {word for word in ("memory", "loop", "abort") if any(f"poison-{word}" in subject for subject in subjects)}
        if "abort" in poisons:
            os.abort()
        if "memory" in poisons:
            held = []
            while True:
                held.append(bytearray(os.urandom(1 << 20)) * 16)
        while "loop" in poisons:
            pass
        inner.stdin.write(digest + job + pack)
        inner.stdin.flush()
        sys.stdout.buffer.write(inner.stdout.read(1) + part(inner.stdout))
        sys.stdout.buffer.flush()
    inner.stdin.close()
    sys.exit(inner.wait())


if __name__ == "__main__":
    main()
