"""Tar, gzip, zip and ar whose bytes depend on their content alone: sorted members, one time, no owner."""

import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass

EXECUTABLE = 0o755
PLAIN = 0o644


@dataclass(frozen=True)
class Member:
    """One file of an archive."""

    content: bytes
    mode: int = PLAIN


def folders_above(paths):
    """Every folder above some paths, sorted, so that a folder comes before what is in it."""
    parts = (path.split("/")[:-1] for path in paths)
    return sorted({"/".join(each[: depth + 1]) for each in parts for depth in range(len(each))})


def tar(members, epoch, folders=True):
    """A tar of members by their path. With `folders` it names every folder above them too."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in folders_above(members) if folders else []:
            about = tarfile.TarInfo(path)
            about.type, about.mode, about.mtime = tarfile.DIRTYPE, EXECUTABLE, epoch
            archive.addfile(about)
        for path, member in sorted(members.items()):
            about = tarfile.TarInfo(path)
            about.size, about.mode, about.mtime = len(member.content), member.mode, epoch
            archive.addfile(about, io.BytesIO(member.content))
    return buffer.getvalue()


def gz(content, level):
    """Content by gzip, without name and time."""
    return gzip.compress(content, compresslevel=level, mtime=0)


def zipped(members, epoch, level, last=()):
    """A zip of members by their path; those of `last` stand at its end, in that order."""
    # The format knows no time before 1980, and no odd second.
    stamp = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(members.keys() - set(last)) + list(last):
            about = zipfile.ZipInfo(path, stamp)
            about.compress_type, about.create_system = zipfile.ZIP_DEFLATED, 3
            about.external_attr = (0o100000 | members[path].mode) << 16
            archive.writestr(about, members[path].content, compresslevel=level)
    return buffer.getvalue()


def ar(members, epoch):
    """An ar of members, as pairs in their order."""
    parts = [b"!<arch>\n"]
    for name, content in members:
        parts.append(f"{name:<16}{epoch:<12}{0:<6}{0:<6}{0o100000 | PLAIN:<8o}{len(content):<10}`\n".encode())
        parts.append(content + b"\n" * (len(content) % 2))
    return b"".join(parts)
