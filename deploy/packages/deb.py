"""The Debian package: program, man pages, completions, changelog and licence, where Debian's policy wants them."""

import hashlib
import textwrap
from email.utils import formatdate

from archives import EXECUTABLE, Member, ar, gz, tar

PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
COMPLETIONS = {
    "completions/capdex.bash": "usr/share/bash-completion/completions/capdex",
    "completions/_capdex": "usr/share/zsh/vendor-completions/_capdex",
    "completions/capdex.fish": "usr/share/fish/vendor_completions.d/capdex.fish",
}


# The form asks for an address, and the project has none.
MAINTAINER = "the capdex project <capdex@example.invalid>"
COPYRIGHT = b"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: capdex

Files: *
Copyright: 2026 the authors of capdex
License: Apache-2.0
 On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0.
"""


def build(release, level):
    """The file's name and its bytes."""
    version = version_of(release)
    architecture = PROCESSORS[release.program.processor]
    content = installed(release)
    size = sum(len(member.content) for member in content.values())
    sums = [f"{hashlib.md5(member.content).hexdigest()}  {path}" for path, member in sorted(content.items())]
    control = {
        "control": Member(about(release, version, architecture, size)),
        "md5sums": Member("\n".join([*sums, ""]).encode()),
    }
    parts = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", gz(tar(below_root(control), release.epoch), level)),
        ("data.tar.gz", gz(tar(below_root(content), release.epoch), level)),
    ]
    return f"capdex_{version}_{architecture}.deb", ar(parts, release.epoch)


def version_of(release):
    return release.version + ("~snapshot" if release.is_snapshot else "")


def changelog(release):
    """The changelog in Debian's form, which points to the project's own."""
    head = f"capdex ({version_of(release)}) unstable; urgency=medium\n\n  * CHANGELOG.md.gz says what is new.\n\n"
    return f"{head} -- {MAINTAINER}  {formatdate(release.epoch)}\n".encode()


def below_root(members):
    # As dpkg-deb names them.
    return {f"./{path}": member for path, member in members.items()}


def installed(release):
    """Every file by its place below the root."""
    documents = "usr/share/doc/capdex"
    members = {
        "usr/bin/capdex": Member(release.files["capdex"].content, EXECUTABLE),
        f"{documents}/copyright": Member(COPYRIGHT),
        f"{documents}/changelog.gz": Member(gz(changelog(release), 9)),
        f"{documents}/CHANGELOG.md.gz": Member(gz(release.files["CHANGELOG.md"].content, 9)),
        f"{documents}/sbom.cdx.json": Member(release.sbom),
    }
    for path, place in COMPLETIONS.items():
        members[place] = release.files[path]
    for path, member in release.files.items():
        if path.startswith("man/"):
            members[f"usr/share/{path}.gz"] = Member(gz(member.content, 9))
    return members


def about(release, version, architecture, size):
    program = release.program
    needs = [] if program.is_static else [f"libc6 (>= {program.glibc[0]}.{program.glibc[1]})"]
    needs += ["libgcc-s1"] if "libgcc_s.so.1" in program.libraries else []
    lines = [
        "Package: capdex",
        f"Version: {version}",
        f"Architecture: {architecture}",
        f"Maintainer: {MAINTAINER}",
        f"Installed-Size: {-(-size // 1024)}",
        *([f"Depends: {', '.join(needs)}"] if needs else []),
        # The addresses of registries are checked against the system's certificates.
        "Recommends: ca-certificates",
        "Section: utils",
        "Priority: optional",
        "Description: screens capabilities of AI agents before they are installed",
        *(f" {line}" for line in textwrap.wrap(release.summary, 76)),
        "",
    ]
    return "\n".join(lines).encode()
