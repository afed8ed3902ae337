#!/usr/bin/env python3
"""Kills a refresh and a download at each call that changes a file, and lets the disk be full from each of them on; cancels
a download at each sync of a slow disk.

usage: check.py [FOLDER]      needs cc; FOLDER has the programs, .build/debug unless it is said

Refresh (espurr-tuf-conformance). The client has the first state of a repository and refreshes to the second. However that ends, every file that it keeps
is whole and from one of the two, the next refresh reaches the second state, and once the second timestamp is kept the
first state is refused as a rollback.

Download (espurr-ota). From nothing to an image in a folder, by the cache of targets: the image is there whole or not at
all, what the cache holds is whole, the next download comes through, and a full disk is told as one (16).

Cancelled (SIGINT while a sync is under way), a refresh begins no further sync, keeps the beginning of the order in which
its files are verified, and the next download comes through. Once the image is on its way to its place it is put there.

interpose.c counts the calls: creating a file or folder, write, fsync, rename and their like.
"""
import contextlib, functools, hashlib, http.server, json, os, shutil, signal, subprocess, sys, tempfile, threading
from datetime import datetime, timedelta, timezone

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "BrokenRepositories"))
import make  # noqa: E402

FAULTS = ["kill", "full"]
MOST_CALLS = 200
# As the files of a refresh are verified.
ORDER = ["root.json", "timestamp.json", "snapshot.json", "targets.json", "v2-8m.json"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def write_states(folder):
    """Two states of one repository, the second with a new root and new versions of all else."""
    make.EXPIRES = (datetime.now(timezone.utc) + timedelta(days=365)).replace(microsecond=0)
    states = []
    for version in (1, 2):
        repository = make.Repository()
        if version == 2:
            repository.rotations = [{**repository.root, "version": 2}]
        repository.raise_version(version)
        made = repository.write()
        path = os.path.join(folder, str(version))
        os.mkdir(path)
        for name, text in made["metadata"].items():
            with open(os.path.join(path, name), "w") as file:
                file.write(text)
        states.append(made)
    with open(os.path.join(folder, "root.json"), "w") as file:
        file.write(states[0]["trusted_root"])
    return states


def kept(folder):
    names = [name for name in os.listdir(folder) if name.endswith(".json")]
    return {name: open(os.path.join(folder, name)).read() for name in names}


def expected(state, version):
    metadata = state["metadata"]
    return {
        "root.json": metadata.get("2.root.json", state["trusted_root"]),
        "timestamp.json": metadata["timestamp.json"],
        "snapshot.json": metadata[f"{version}.snapshot.json"],
        "targets.json": metadata[f"{version}.targets.json"],
    }


def main():
    programs = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".build/debug")
    client = os.path.join(programs, "espurr-tuf-conformance")
    with tempfile.TemporaryDirectory() as folder:
        interpose = os.path.join(folder, "interpose.so")
        source = os.path.join(here, "interpose.c")
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", interpose, source], check=True)
        download = Download(os.path.join(programs, "espurr-ota"), folder, interpose)
        for fault in FAULTS:
            interrupt_download(fault, download)
        folders_survive(download)
        cancel_download(download)
        states = write_states(folder)
        first, second = expected(states[0], 1), expected(states[1], 2)
        with served(os.path.join(folder, "1")) as old, served(os.path.join(folder, "2")) as new:

            def refresh(state, address, **fault):
                command = [client, "--metadata-url", address, "--metadata-dir", state, "refresh"]
                environment = {**os.environ, **({"LD_PRELOAD": interpose, **fault} if fault else {})}
                return subprocess.run(command, env=environment, stderr=subprocess.DEVNULL, timeout=60).returncode

            start = os.path.join(folder, "start")
            subprocess.run([client, "--metadata-dir", start, "init", os.path.join(folder, "root.json")], check=True)
            assert refresh(start, old) == 0 and kept(start) == first
            for fault in FAULTS:
                interrupt(fault, start, first, second, old, new, refresh)


def interrupt(fault, start, first, second, old, new, refresh):
    """Step by step, until the refresh has no further step."""
    state = start + "-interrupted"
    for step in range(1, MOST_CALLS):
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(start, state)
        status = refresh(state, new, FAULT=fault, FAULT_AT=str(step))
        files = kept(state)
        at = f"{fault} at call {step}: status {status}"
        assert set(files) == set(first), f"{at}: other files"
        for file, text in files.items():
            assert text in (first[file], second[file]), f"{at}: {file} is from neither state"
        if status == 0:
            assert files == second, f"{at}: success without the second state"
            assert step > 20, f"{at}: the faults were not injected"
            print(f"{fault} during a refresh: {step - 1} calls, each made good")
            return
        check(at, state, files, second, old, new, refresh)
    raise AssertionError(f"{fault}: never came through")


def check(at, state, files, second, old, new, refresh):
    copy = state + "-old"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(state, copy)
    is_rollback = files["timestamp.json"] == second["timestamp.json"]
    assert (refresh(copy, old) == 0) != is_rollback, f"{at}: the old state is accepted or refused wrongly"
    if is_rollback:
        assert kept(copy)["timestamp.json"] == second["timestamp.json"], f"{at}: rolled back"
    assert refresh(state, new) == 0, f"{at}: the next refresh fails"
    assert kept(state) == second, f"{at}: the next refresh is not the second state"
    assert not [name for name in os.listdir(state) if name.endswith(".part")], f"{at}: a temporary file stays"


class Download:
    """A person's first: from nothing."""

    def __init__(self, client, folder, interpose):
        self.client, self.interpose = client, interpose
        self.stored = json.load(open(os.path.join(here, "..", "BrokenRepositories", "releases.json")))
        self.home, self.catalogue = os.path.join(folder, "home"), os.path.join(folder, "catalogue")
        for part in ("metadata", "targets"):
            for name, text in self.stored[part].items():
                path = os.path.join(self.catalogue, part, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(text)
        self.image = {"espurr.bin": b"firmware v2-8m 2.0.0"}
        self.output, self.cache = os.path.join(self.home, "out"), os.path.join(self.home, "cache/espurr/targets")
        xdg = {f"XDG_{kind.upper()}_HOME": f"{self.home}/{kind}" for kind in ("config", "state", "cache")}
        self.environment = {"HOME": self.home, "PATH": "/usr/bin:/bin", **xdg}

    def again(self, **fault):
        more = {"LD_PRELOAD": self.interpose, **fault} if fault else {}
        command = [self.client, "download", "2.0.0", "--catalogue", self.catalogue, "--output", self.output]
        done = subprocess.run(
            command, env={**self.environment, **more}, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def first(self, **fault):
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(os.path.join(self.home, "config/espurr"))
        with open(os.path.join(self.home, "root.json"), "w") as file:
            file.write(self.stored["trusted_root"])
        with open(os.path.join(self.home, "config/espurr/config.json"), "w") as file:
            catalogue = {"root": os.path.join(self.home, "root.json")}
            json.dump({"schema": "espurr.config/1", "catalogue": catalogue}, file)
        return self.again(**fault)

    def store(self):
        """The one folder of trusted metadata."""
        (name,) = os.listdir(os.path.join(self.home, "state/espurr/catalogue"))
        return os.path.join(self.home, "state/espurr/catalogue", name)


def visible(path):
    names = [name for name in os.listdir(path) if not name.startswith(".")] if os.path.isdir(path) else []
    return {name: open(os.path.join(path, name), "rb").read() for name in names}


def folders_survive(download):
    """A power cut takes a folder with all that is in it where the one above was not synced since it was made."""
    status, said = download.first(FAULT="cancel", FAULT_AT="0")
    assert status == 0, f"a first download: {status}: {said}"
    told = [line.split(": ", 1) for line in said.splitlines() if line.startswith(("made: ", "synced later: "))]
    made = [(step, path) for step, (what, path) in enumerate(told) if what == "made"]
    assert {download.store(), download.cache, download.output} <= {path for _, path in made}, f"other folders: {made}"
    for step, path in made:
        assert ["synced later", os.path.dirname(path)] in told[step:], f"made and not synced above: {path}"
    print(f"{len(made)} folders made by a first download, each synced where it is listed")


def above(path):
    """The folders that a path lies in."""
    return [path[:end] for end in range(len(path)) if path[end] == "/"]


def interrupt_download(fault, download):
    for step in range(1, MOST_CALLS):
        status, said = download.first(FAULT=fault, FAULT_AT=str(step))
        at = f"{fault} at call {step} of a download: status {status}: {said}"
        assert visible(download.output) in ({}, download.image), f"{at}: another file"
        for name, data in visible(download.cache).items():
            assert hashlib.sha256(data).hexdigest() == name, f"{at}: a damaged file in the cache"
        if status == 0:
            assert visible(download.output) == download.image, f"{at}: success without the image"
            assert step > 40, f"{at}: the faults were not injected"
            print(f"{fault} during a download: {step - 1} calls, each made good")
            return
        if fault == "full":
            assert status == 16 and "No space left" in said, f"{at}: not told"
        comes_through(at, download)
    raise AssertionError(f"{fault} during a download: never came through")


def comes_through(at, download):
    status, said = download.again()
    is_there = visible(download.output) == download.image
    assert status == 0 and is_there, f"{at}: the next one fails: {status}: {said}"
    assert not [name for name in os.listdir(download.cache) if name.endswith(".part")], f"{at}: a temporary file stays"


def cancel_download(download):
    # A shell that starts this beside other work has it ignore Ctrl-C, and what is started here would do so too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    metadata = download.stored["metadata"]
    root = {"root.json": download.stored["trusted_root"].encode()}
    for sync in range(1, MOST_CALLS):
        status, said = download.first(FAULT="cancel", FAULT_AT=str(sync))
        later = [line.split(": ")[1] for line in said.splitlines() if line.startswith("synced later: ")]
        at = f"cancelled in sync {sync} of a download: status {status}: {said}"
        # Above each folder that is made, as it is made.
        later = [path for path in later if path not in above(download.store()) + above(download.cache)]
        if status == 0:
            assert later in ([download.output], []), f"{at}: more than the image was synced"
            assert visible(download.output) == download.image, f"{at}: success without the image"
            if later: continue
            assert sync > 8, f"{at}: it was not cancelled"
            print(f"cancelled during a download: {sync - 1} syncs, no other begun but the trusted root's and the image's")
            return
        kept = {name: data for name, data in visible(download.store()).items() if name in ORDER}
        assert list(sorted(kept, key=ORDER.index)) == ORDER[: len(kept)], f"{at}: a hole: {sorted(kept)}"
        for name, data in kept.items():
            served = [text.encode() for file, text in metadata.items() if name in (file, file.split(".", 1)[1])]
            assert data in served + [root.get(name)], f"{at}: {name} is another file"
        if kept == root:
            # A person gave the trusted root: it is finished.
            later = [path for path in later if not path.startswith(download.store())]
        assert status == 130 and later == [], f"{at}: it went on with {later}"
        comes_through(at, download)
    raise AssertionError("cancelled during a download: never came through")


if __name__ == "__main__":
    main()
