"""The container image as an OCI archive: one layer with the program and what it needs, as nobody. Made without an engine.

A static program stands alone. A dynamic one brings the shared libraries of this machine and their licences.
"""

import hashlib
import json
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from archives import EXECUTABLE, Member, gz, tar

PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
NOBODY = "65532:65532"
STORE = "/var/lib/capdex"
# Where Debian's packages of the C library and of GCC's runtime say whose they are.
LICENCES = ("usr/share/doc/libc6/copyright", "usr/share/doc/libgcc-s1/copyright")


def build(release, level):
    """The file's name and its bytes."""
    version = release.version + ("-snapshot" if release.is_snapshot else "")
    processor = PROCESSORS[release.program.processor]
    layer = tar(content(release), release.epoch)
    packed = gz(layer, level)
    blobs, entries = {}, {}

    def add(name, kind, data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = Member(data)
        entries[name] = {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    add("layer", "layer.v1.tar+gzip", packed)
    created = datetime.fromtimestamp(release.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "capdex",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }
    config = {
        "architecture": processor,
        "os": "linux",
        "created": created,
        # As deploy/Dockerfile has it.
        "config": {
            "User": NOBODY,
            "WorkingDir": STORE,
            "Volumes": {STORE: {}},
            "StopSignal": "SIGTERM",
            "Env": [f"SSL_CERT_FILE=/{CERTIFICATES}", f"CAPDEX_DB={STORE}/capdex.db"],
            "Entrypoint": ["/usr/local/bin/capdex"],
            "Cmd": ["daemon", "--schedules", "/etc/capdex/schedules", "--log-format", "json"],
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "created_by": "deploy/release"}],
    }
    add("config", "config.v1+json", compact(config))
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": entries["config"],
        "layers": [entries["layer"]],
        "annotations": labels,
    }
    add("manifest", "manifest.v1+json", compact(manifest))
    named = {**entries["manifest"], "annotations": {"org.opencontainers.image.ref.name": version}}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [named]}
    files = {"oci-layout": Member(compact({"imageLayoutVersion": "1.0.0"})), "index.json": Member(compact(index)), **blobs}
    return f"capdex-{version}-linux-{processor}.oci.tar", tar(files, release.epoch)


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def content(release):
    """The files of the layer by their place below the root."""
    members = {
        "usr/local/bin/capdex": Member(release.files["capdex"].content, EXECUTABLE),
        "usr/share/doc/capdex/LICENSE": release.files["LICENSE"],
        "usr/share/doc/capdex/sbom.cdx.json": Member(release.sbom),
        CERTIFICATES: Member(Path("/", CERTIFICATES).read_bytes()),
    }
    if not release.program.is_static:
        members |= {path: Member(Path("/", path).read_bytes()) for path in LICENCES if Path("/", path).is_file()}
        members |= libraries(release.binary)
    return members


def libraries(binary):
    """The shared libraries that the loader of this machine finds for a program, each where it looks for it."""
    told = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    # `name => /place (address)`, and the loader itself without an arrow.
    places = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", told, re.MULTILINE)
    return {place.lstrip("/"): Member(Path(place).read_bytes(), EXECUTABLE) for place in places}
