"""The npm packages: one with the program for a platform, and `capdex`, which starts the one that fits. No install script.

`capdex` lists the platforms whose packages are in the folder of the release, and no other: a name that nobody published yet
could be taken by a stranger.
"""

import json
import re
from pathlib import Path

from archives import EXECUTABLE, Member, gz, tar

PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
LAUNCHER = Path(__file__).with_name("launcher.js")


def version_of(release):
    return release.version + ("-snapshot" if release.is_snapshot else "")


def platform(release, level):
    """The package with the program: its file's name and its bytes."""
    version, processor = version_of(release), PROCESSORS[release.program.processor]
    name = f"capdex-linux-{processor}"
    manifest = {
        "name": name,
        "version": version,
        "description": f"The program of the package capdex for Linux on {processor}.",
        "license": "Apache-2.0",
        "os": ["linux"],
        "cpu": [processor],
        **({} if release.program.is_static else {"libc": ["glibc"]}),
        "files": ["bin/capdex", "sbom.cdx.json"],
        "preferUnplugged": True,
    }
    members = {
        "bin/capdex": Member(release.files["capdex"].content, EXECUTABLE),
        "sbom.cdx.json": Member(release.sbom),
        "LICENSE": release.files["LICENSE"],
    }
    return f"{name}-{version}.tgz", packed(manifest, members, release.epoch, level)


def main(release, level, present):
    """The package that people name; `present` are the names of the files in the folder of the release."""
    version = version_of(release)
    form = re.compile(rf"(capdex-linux-(?:x64|arm64))-{re.escape(version)}\.tgz")
    platforms = sorted(found[1] for found in map(form.fullmatch, present) if found)
    manifest = {
        "name": "capdex",
        "version": version,
        "description": release.summary,
        "license": "Apache-2.0",
        "bin": {"capdex": "bin/capdex.js"},
        "files": ["bin/capdex.js"],
        "engines": {"node": ">=18"},
        # Exactly this version: the two are one program.
        "optionalDependencies": {name: version for name in platforms},
    }
    members = {
        "bin/capdex.js": Member(LAUNCHER.read_bytes(), EXECUTABLE),
        "README.md": release.files["README.md"],
        "LICENSE": release.files["LICENSE"],
    }
    return f"capdex-{version}.tgz", packed(manifest, members, release.epoch, level)


def packed(manifest, members, epoch, level):
    members = {**members, "package.json": Member(json.dumps(manifest, indent=2).encode() + b"\n")}
    inside = {f"package/{path}": member for path, member in members.items()}
    return gz(tar(inside, epoch, folders=False), level)
