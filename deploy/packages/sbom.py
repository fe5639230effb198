"""The software bill of materials (CycloneDX 1.6): every crate that is linked into the program, from Cargo's own answer."""

import json
import subprocess
import tomllib
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote


def build(tree, target, summary, epoch):
    """The document's bytes. `tree` is the workspace, `target` Cargo's name of the platform."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    answer = json.loads(subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in answer["packages"]}
    linked = linked_into(answer["resolve"])
    root = answer["resolve"]["root"]
    checksums = locked_checksums(Path(tree) / "Cargo.lock")
    others = sorted((packages[each] for each in linked if each != root), key=purl)
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {**component(packages[root], checksums), "type": "application", "description": summary},
        },
        "components": [component(package, checksums) for package in others],
        "dependencies": [
            {"ref": purl(packages[each]), "dependsOn": sorted(purl(packages[other]) for other in linked[each])}
            for each in sorted(linked, key=lambda each: purl(packages[each]))
        ],
    }
    return json.dumps(document, indent=1).encode() + b"\n"


def linked_into(resolve):
    """The packages that are reached over dependencies of the program, each with those that it links itself."""
    nodes = {node["id"]: node for node in resolve["nodes"]}
    linked, waiting = {}, [resolve["root"]]
    while waiting:
        here = waiting.pop()
        if here in linked:
            continue
        # What a build script or a test needs is no part of the program.
        normal = [each["pkg"] for each in nodes[here]["deps"] if any(kind["kind"] is None for kind in each["dep_kinds"])]
        linked[here] = normal
        waiting += normal
    return linked


def locked_checksums(path):
    locked = tomllib.loads(path.read_text())["package"]
    return {(each["name"], each["version"]): each["checksum"] for each in locked if "checksum" in each}


def purl(package):
    # A `+` of a version has a meaning in addresses.
    return f"pkg:cargo/{package['name']}@{quote(package['version'])}"


def component(package, checksums):
    checksum = checksums.get((package["name"], package["version"]))
    # Old crates write `/` where SPDX has a word.
    licence = " OR ".join(part.strip() for part in (package["license"] or "").split("/"))
    return {
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
        **({"licenses": [{"expression": licence}]} if licence else {}),
        **({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {}),
    }
