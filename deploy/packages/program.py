"""What an ELF program asks of the system that runs it: processor, shared libraries, the oldest glibc."""

import re
import struct
from dataclasses import dataclass

# Libraries that every glibc system has (PEP 600); libgcc_s comes with the C++ runtime that manylinux asks for.
EVERYWHERE = {
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
}
PROCESSORS = {62: "x86_64", 183: "aarch64"}
STRING_TABLE, DYNAMIC, VERSIONS_NEEDED = 3, 6, 0x6FFFFFFE
NEEDED = 1


@dataclass(frozen=True)
class Program:
    """The demands of one program."""

    processor: str
    libraries: tuple
    # The newest version of glibc that a symbol asks for; none for a static program.
    glibc: tuple | None

    @property
    def is_static(self):
        return not self.libraries


def read(content):
    """The demands of a program of Linux; none for any other file."""
    if content[:6] != b"\x7fELF\x02\x01":
        return None
    (machine,) = struct.unpack_from("<H", content, 18)
    if machine not in PROCESSORS:
        return None
    sections = list(section_headers(content))
    libraries, versions = [], []
    for kind, link, start, size in sections:
        if kind not in (DYNAMIC, VERSIONS_NEEDED):
            continue
        strings = sections[link][2]
        if kind == DYNAMIC:
            entries = struct.iter_unpack("<QQ", content[start : start + size])
            libraries += [text(content, strings + value) for tag, value in entries if tag == NEEDED]
        else:
            versions += versions_needed(content, start, strings)
    numbers = [tuple(map(int, found[1].split("."))) for found in map(re.compile(r"GLIBC_(2\.[\d.]+)$").match, versions) if found]
    return Program(PROCESSORS[machine], tuple(libraries), max(numbers)[:2] if numbers else None)


def section_headers(content):
    """Kind, link, offset and size of every section."""
    (table,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    for index in range(count):
        _, kind, _, _, start, length, link = struct.unpack_from("<IIQQQQI", content, table + index * size)
        yield kind, link, start, length


def versions_needed(content, start, strings):
    """The names of every version that the program needs of its libraries."""
    at, more = start, True
    while more:
        _, count, _, first, following = struct.unpack_from("<HHIII", content, at)
        entry = at + first
        for _ in range(count):
            _, _, _, name, step = struct.unpack_from("<IHHII", content, entry)
            yield text(content, strings + name)
            entry += step
        at, more = at + following, following > 0


def text(content, start):
    return content[start : content.index(b"\0", start)].decode()
