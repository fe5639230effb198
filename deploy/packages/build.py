"""Packs a program that is built for pip, npm, Debian and containers, and lists what is in it. `deploy/release` calls it.

    python3 build.py --folder STAGED --version V [--snapshot] --target TRIPLE --epoch SECONDS --level N --out DIR

STAGED is the content of the archive: program, texts, completions, man pages. The names of the files that were made are printed.
The same input gives the same bytes. The standard library of Python 3.11 is all it needs; Cargo tells what is linked.
"""

import argparse
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import deb
import image
import npm
import program
import sbom
import wheel
from archives import EXECUTABLE, PLAIN, Member

TREE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Release:
    """What every package is made of."""

    version: str
    is_snapshot: bool
    summary: str
    epoch: int
    # The content of the archive, by path.
    files: dict
    sbom: bytes
    binary: Path
    program: program.Program | None


def main():
    options = arguments()
    summary = tomllib.loads((TREE / "Cargo.toml").read_text())["package"]["description"]
    files = {
        path.relative_to(options.folder).as_posix(): Member(path.read_bytes(), EXECUTABLE if path.name == "capdex" else PLAIN)
        for path in options.folder.rglob("*")
        if path.is_file()
    }
    release = Release(
        version=options.version,
        is_snapshot=options.snapshot,
        summary=summary,
        epoch=options.epoch,
        files=files,
        sbom=sbom.build(TREE, options.target, summary, options.epoch),
        binary=options.folder / "capdex",
        program=program.read(files["capdex"].content),
    )
    name = options.folder.name
    write(options.out, f"{name}.cdx.json", release.sbom)
    if release.program is None:
        print("deploy/release: no packages for pip, npm, Debian and containers: the program is none of Linux", file=sys.stderr)
        return
    strange = sorted(set(release.program.libraries) - program.EVERYWHERE)
    if strange:
        sys.exit(f"deploy/release: the program needs libraries that other machines may lack: {', '.join(strange)}")
    for build in (wheel.build, deb.build, image.build, npm.platform):
        write(options.out, *build(release, options.level))
    write(options.out, *npm.main(release, options.level, [path.name for path in options.out.iterdir()]))


def write(folder, name, content):
    (folder / name).write_bytes(content)
    print(name)


def arguments():
    parser = argparse.ArgumentParser()
    for name, kind in (("folder", Path), ("version", str), ("target", str), ("epoch", int), ("level", int), ("out", Path)):
        parser.add_argument(f"--{name}", type=kind, required=True)
    parser.add_argument("--snapshot", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
