"""The Python wheel: the program as a script, without any Python. For `pip install`, `uvx` and `pipx`."""

import base64
import hashlib

from archives import EXECUTABLE, Member, zipped


def tags(program):
    """The platforms of a wheel (PEP 600, PEP 656): what a static program does not ask for it runs without."""
    if program.is_static:
        old = f"manylinux_2_17_{program.processor}.manylinux2014_{program.processor}"
        return f"{old}.musllinux_1_1_{program.processor}"
    floor = max(program.glibc, (2, 17))
    named = f"manylinux_{floor[0]}_{floor[1]}_{program.processor}"
    return f"{named}.manylinux2014_{program.processor}" if floor == (2, 17) else named


def build(release, level):
    """The file's name and its bytes."""
    version = release.version + (".dev0" if release.is_snapshot else "")
    tag = f"py3-none-{tags(release.program)}"
    info = f"capdex-{version}.dist-info"
    members = {
        f"capdex-{version}.data/scripts/capdex": Member(release.files["capdex"].content, EXECUTABLE),
        f"{info}/METADATA": Member(metadata(release, version)),
        f"{info}/WHEEL": Member(wheel(tag)),
        f"{info}/licenses/LICENSE": release.files["LICENSE"],
        # PEP 770.
        f"{info}/sboms/capdex.cdx.json": Member(release.sbom),
    }
    record = f"{info}/RECORD"
    lines = [f"{path},sha256={digest(each.content)},{len(each.content)}" for path, each in sorted(members.items())]
    members[record] = Member("\n".join([*lines, f"{record},,", ""]).encode())
    # The list of files comes last: readers of a stream have met everything then.
    return f"capdex-{version}-{tag}.whl", zipped(members, release.epoch, level, last=(record,))


def metadata(release, version):
    head = [
        "Metadata-Version: 2.4",
        "Name: capdex",
        f"Version: {version}",
        f"Summary: {release.summary}",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*head, "", ""]).encode() + release.files["README.md"].content


def wheel(tag):
    python, abi, platforms = tag.split("-")
    lines = [f"Tag: {python}-{abi}-{platform}" for platform in platforms.split(".")]
    return "\n".join(["Wheel-Version: 1.0", "Generator: deploy/release", "Root-Is-Purelib: false", *lines, ""]).encode()


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
