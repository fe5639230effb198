"""A real NATS server and a real S3 server on loopback, which can be killed, lose their disk and come back at the same address."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

# Servers are looked at so often until they answer, and so long at most.
EVERY_S, STARTS_WITHIN_S = 0.1, 60


def free_ports(count):
    """Ports that nobody has; all of them at once, so that no two are the same."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def tool(variable, name):
    return os.environ.get(variable) or shutil.which(name) or sys.exit(f"there is no {name}: {variable} names it (tests/tools installs it)")


# The server of objects takes no request that these did not sign.
KEYS = {"AWS_ACCESS_KEY_ID": "rig", "AWS_SECRET_ACCESS_KEY": "of-no-use-elsewhere"}


class Server:
    """A process with a folder that can be taken away."""

    def __init__(self, folder):
        self.folder, self.process, self.log = folder, None, None

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = open(self.folder.with_suffix(".log"), "ab")
        self.process = subprocess.Popen(self.command(), stdout=self.log, stderr=self.log, cwd=self.folder, env={**os.environ, **KEYS})
        begun = time.monotonic()
        while not self.answers():
            if self.process.poll() is not None:
                sys.exit(f"{self.command()[0]} ended by itself:\n{pathlib.Path(self.log.name).read_text(errors='replace')[-2000:]}")
            if time.monotonic() - begun > STARTS_WITHIN_S:
                sys.exit(f"{self.command()[0]} does not answer: see {self.log.name}")
            time.sleep(EVERY_S)
        return self

    def kill(self):
        """As a machine that loses its power does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def lose_disk(self):
        shutil.rmtree(self.folder)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()
        if self.log:
            self.log.close()


class Nats(Server):
    """NATS with JetStream on its disk."""

    def __init__(self, folder):
        super().__init__(folder)
        self.port, = free_ports(1)

    def command(self):
        return [tool("CAPDEX_NATS", "nats-server"), "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(self.folder / "data")]

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def url(self, ack_wait):
        return f"nats://127.0.0.1:{self.port}/rig?ack_wait={ack_wait}"


class Bucket(Server):
    """SeaweedFS with its S3 gateway and one bucket; it decides conditional puts itself, and checks signatures."""

    name = "capdex-work"

    def __init__(self, folder):
        super().__init__(folder)
        self.ports, self.has_bucket = free_ports(8), False

    def command(self):
        names = "master.port master.port.grpc volume.port volume.port.grpc filer.port filer.port.grpc s3.port s3.port.grpc".split()
        ports = [f"-{name}={port}" for name, port in zip(names, self.ports)]
        return [tool("CAPDEX_WEED", "weed"), "server", f"-dir={self.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", *ports, "-filer", "-s3", "-s3.port.iceberg=0", "-s3.port.lance=0",
                "-volume.max=50", "-master.volumeSizeLimitMB=64", "-master.telemetry=false"]

    def endpoint(self):
        return f"http://127.0.0.1:{self.ports[6]}"

    def answers(self):
        try:
            urllib.request.urlopen(f"{self.endpoint()}/healthz", timeout=5).close()
        except OSError:
            return False
        if not self.has_bucket:
            master, filer = (f"127.0.0.1:{self.ports[at]}.{self.ports[at + 1]}" for at in (0, 4))
            told = subprocess.run([tool("CAPDEX_WEED", "weed"), "shell", f"-master={master}", f"-filer={filer}"], capture_output=True, text=True,
                                  input=f"s3.bucket.create -name {self.name}\n", timeout=STARTS_WITHIN_S)
            self.has_bucket = "created bucket" in told.stdout + told.stderr
        return self.has_bucket

    def environment(self):
        return {"AWS_ENDPOINT": self.endpoint(), "AWS_REGION": "us-east-1", **KEYS}


class Quota:
    """A control group with a share of one processor; none where this machine allows none."""

    def __init__(self, name, cores):
        self.folder = None
        for root, files in ((pathlib.Path("/sys/fs/cgroup/cpu"), {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": str(round(cores * 1e5))}),
                            (pathlib.Path("/sys/fs/cgroup"), {"cpu.max": f"{round(cores * 1e5)} 100000"})):
            folder = root / f"capdex-rig-{os.getpid()}-{name}"
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                for file, value in files.items():
                    (folder / file).write_text(value)
                self.folder = folder
                return
            except OSError:
                folder.rmdir()

    def enter(self):
        """Called in the process that is to be held to it."""
        if self.folder:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def end(self):
        for _ in range(50):
            try:
                if self.folder:
                    self.folder.rmdir()
                return
            except OSError:
                # A process that was killed leaves it a moment later.
                time.sleep(EVERY_S)
