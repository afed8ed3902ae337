#!/usr/bin/env python3
"""Kills a refresh at each call that changes a file, and lets the disk be full from each of them on.

usage: check.py [CLIENT]      needs cc; CLIENT is .build/debug/espurr-tuf-conformance unless it is said

The client has the first state of a repository and refreshes to the second. However that ends, every file that it keeps
is whole and from one of the two, the next refresh reaches the second state, and once the second timestamp is kept the
first state is refused as a rollback. interpose.c counts the calls: creating a file, write, fsync, rename and their like.
"""
import contextlib, functools, http.server, os, shutil, subprocess, sys, tempfile, threading
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
    client = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".build/debug/espurr-tuf-conformance")
    with tempfile.TemporaryDirectory() as folder:
        interpose = os.path.join(folder, "interpose.so")
        source = os.path.join(here, "interpose.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", interpose, source], check=True)
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
            print(f"{fault}: {step - 1} calls, each made good")
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


if __name__ == "__main__":
    main()
