#!/usr/bin/env python3
"""Kills a refresh and a download at each call that changes a file, and lets the disk be full from each of them on.

usage: check.py [FOLDER]      needs cc; FOLDER has the programs, .build/debug unless it is said

Refresh (espurr-tuf-conformance). The client has the first state of a repository and refreshes to the second. However that ends, every file that it keeps
is whole and from one of the two, the next refresh reaches the second state, and once the second timestamp is kept the
first state is refused as a rollback.

Download (espurr-ota). From nothing to an image in a folder, by the cache of targets: the image is there whole or not at
all, what the cache holds is whole, the next download comes through, and a full disk is told as one (16).

interpose.c counts the calls: creating a file or folder, write, fsync, rename and their like.
"""
import contextlib, functools, hashlib, http.server, json, os, shutil, subprocess, sys, tempfile, threading
from datetime import datetime, timedelta, timezone

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "BrokenRepositories"))
import make  # noqa: E402

FAULTS = ["kill", "full"]
MOST_CALLS = 200


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
        for fault in FAULTS:
            interrupt_download(fault, os.path.join(programs, "espurr-ota"), folder, interpose)
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


def interrupt_download(fault, client, folder, interpose):
    """The same for a download from nothing: a person's first."""
    stored = json.load(open(os.path.join(here, "..", "BrokenRepositories", "releases.json")))
    home, catalogue = os.path.join(folder, "home"), os.path.join(folder, "catalogue")
    for part in ("metadata", "targets"):
        for name, text in stored[part].items():
            path = os.path.join(catalogue, part, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
    image = b"firmware v2-8m 2.0.0"
    output, cache = os.path.join(home, "out"), os.path.join(home, "cache/espurr/targets")
    xdg = {f"XDG_{kind.upper()}_HOME": f"{home}/{kind}" for kind in ("config", "state", "cache")}
    environment = {"HOME": home, "PATH": "/usr/bin:/bin", **xdg}

    def download(**more):
        command = [client, "download", "2.0.0", "--catalogue", catalogue, "--output", output]
        done = subprocess.run(command, env={**environment, **more}, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def visible(path):
        names = [name for name in os.listdir(path) if not name.startswith(".")] if os.path.isdir(path) else []
        return {name: open(os.path.join(path, name), "rb").read() for name in names}

    for step in range(1, MOST_CALLS):
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(os.path.join(home, "config/espurr"))
        with open(os.path.join(home, "root.json"), "w") as file:
            file.write(stored["trusted_root"])
        with open(os.path.join(home, "config/espurr/config.json"), "w") as file:
            json.dump({"schema": "espurr.config/1", "catalogue": {"root": os.path.join(home, "root.json")}}, file)
        status, said = download(LD_PRELOAD=interpose, FAULT=fault, FAULT_AT=str(step))
        at = f"{fault} at call {step} of a download: status {status}: {said}"
        assert visible(output) in ({}, {"espurr.bin": image}), f"{at}: another file"
        for name, data in visible(cache).items():
            assert hashlib.sha256(data).hexdigest() == name, f"{at}: a damaged file in the cache"
        if status == 0:
            assert visible(output) == {"espurr.bin": image}, f"{at}: success without the image"
            assert step > 40, f"{at}: the faults were not injected"
            print(f"{fault} during a download: {step - 1} calls, each made good")
            return
        if fault == "full":
            assert status == 16 and "No space left" in said, f"{at}: not told"
        status, said = download()
        assert status == 0 and visible(output) == {"espurr.bin": image}, f"{at}: the next one fails: {status}: {said}"
        assert not [name for name in os.listdir(cache) if name.endswith(".part")], f"{at}: a temporary file stays"
    raise AssertionError(f"{fault} during a download: never came through")


if __name__ == "__main__":
    main()
