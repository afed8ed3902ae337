#!/usr/bin/env python3
"""Kills a process (SIGKILL) at each phase of an installation and at random moments of its upload, beside simulated ears.

    check.py ota|sim [RANDOM [BUILD]] [--jobs N]

`ota` kills espurr-ota, within one run of the simulator; `sim` kills espurr-sim, and the next run goes on from `--state`:
that is a machine that loses its power together with its ears. RANDOM (100) kills fall into the upload, BUILD is
.build/debug, N (4) kills are under way beside each other.

After each kill `status --wait` has to end with a verdict that its own reading bears out, what the killed or bereft command
had said has to be true, and the next installation has to be confirmed. At the end the image is compared, byte for byte,
with the flash that the ears leave.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

PHASES = ["erasing", "sending", "verifying", "restarting", "reconnecting", "watching"]
MILESTONES = ["sent", "accepted", "selected", "booted"]
DEADLINE = 120
SLOTS = {0: 0x10000, 1: 0x1C0000}  # of the family esp32
INSTALL = ["espurr-ota", "install", "--yes", "--allow-reinstall", "--json"]
SCRIPT = os.path.abspath(__file__)


class Wrong(Exception):
    pass


def name_of(place):
    return place if isinstance(place, str) else f"{place:.0%} of the upload"


def install(version):
    return subprocess.Popen(INSTALL + [version], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def is_at(event, place):
    if isinstance(place, str):
        return place in (event.get("phase"), event.get("milestone"))
    is_sending = event["event"] == "progress" and event.get("phase") == "sending"
    return is_sending and event["bytes"] / event["total"] >= place


def interrupted_install(version, place, kill):
    """Installs, calls `kill` with the process at `place`, and gives the verdict that was said, if one was."""
    process = install(version)
    verdict, is_done = None, False
    for line in process.stdout:
        event = json.loads(line)
        verdict = event.get("verdict", verdict)
        if not is_done and is_at(event, place):
            time.sleep(random.uniform(0, 0.1))
            kill(process)
            is_done = True
    process.wait(DEADLINE)
    if not is_done:
        raise Wrong(f"the installation never came to {name_of(place)}")
    return verdict


def read_status():
    # The ears may be just about to restart: whoever asks, asks again.
    for _ in range(2):
        run = subprocess.run(
            ["espurr-ota", "status", "--wait", "--json"], capture_output=True, text=True, timeout=DEADLINE
        )
        if run.stdout:
            return json.loads(run.stdout)
    raise Wrong(f"status said nothing, {run.returncode}: {run.stderr}")


def is_borne_out(verdict, reading, version):
    running = next(slot for slot in reading["slots"] if slot["running"])
    return {
        "confirmed": running["version"] == version and running["state"] == "valid",
        "link_lost_old_firmware_runs": reading["selected_slot"] == reading["running_slot"],
        "selected_not_restarted": reading["selected_slot"] != reading["running_slot"],
        "rolled_back": any(slot["state"] in ("aborted", "invalid") for slot in reading["slots"]),
    }.get(verdict, False)


def settle(version, said, has_restarted):
    """The verdict of `status --wait`, held to its reading, and what was said before to the same."""
    document = read_status()
    attempt, reading = document["attempt"], document["reading"]
    if said == "confirmed" and not is_borne_out(said, reading, version):
        raise Wrong(f"it had said confirmed, and status read {reading}")
    # Where the ears restarted with the simulator, what was selected has booted since.
    if said == "selected_not_restarted" and has_restarted and all(s["version"] != version for s in reading["slots"]):
        raise Wrong(f"it had said selected, and status read {reading}")
    if said == "link_lost_old_firmware_runs" and has_restarted:
        raise Wrong("it said what runs, and could not have read it")
    if attempt is None:
        return "nothing to settle"
    if not is_borne_out(attempt["verdict"], reading, version):
        raise Wrong(f"status said {attempt['verdict']}, and read {reading}")
    return attempt["verdict"]


def confirmed_install(version):
    process = install(version)
    verdict = None
    for line in process.stdout:
        verdict = json.loads(line).get("verdict", verdict)
    status = process.wait(DEADLINE)
    if status != 0 or verdict != "confirmed":
        raise Wrong(f"the next installation ended with {status}, {verdict}")
    return read_status()["reading"]["running_slot"]


# --- Within a run of the simulator; what is found goes to a file, for the run may be killed.


def target_version():
    check = subprocess.run(
        ["espurr-ota", "check", "--family", "esp32", "--json"], capture_output=True, text=True, check=True
    )
    return json.loads(check.stdout)["offer"]["version"]


def download(version, folder):
    path = os.path.join(folder, "image.bin")
    if not os.path.exists(path):
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            subprocess.run(
                ["espurr-ota", "download", version, "--family", "esp32", "--output", fresh],
                check=True, capture_output=True,
            )  # fmt: skip
            os.rename(os.path.join(fresh, os.listdir(fresh)[0]), path)


def inside(step, folder, place):
    version = target_version()
    if step == "ota":
        download(version, folder)
        said = interrupted_install(version, place, lambda process: process.kill())
        settled = settle(version, said, has_restarted=False)
        return {"said": said, "settled": settled, "running": confirmed_install(version)}
    if step == "sim":
        return {"said": interrupted_install(version, place, lambda _: os.kill(os.getppid(), signal.SIGKILL))}
    download(version, folder)
    settled = settle(version, read(folder, "sim")["said"], has_restarted=True)
    return {"settled": settled, "running": confirmed_install(version)}


def run_inside(step, folder, place):
    random.seed(str(place))
    try:
        found = inside(step, folder, place)
    except Wrong as wrong:
        found = {"wrong": str(wrong)}
    path = os.path.join(folder, step + ".json")
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.rename(path + ".part", path)


def read(folder, step):
    try:
        with open(os.path.join(folder, step + ".json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise Wrong(f"{step}: nothing was found") from None


# --- Outside


def simulate(build, step, folder, place, *options):
    command = [os.path.join(build, "espurr-sim"), "run", "--family", "esp32", *options, "--"]
    inside_words = [sys.executable, SCRIPT, "--inside", step, folder, json.dumps(place)]
    return subprocess.run(command + inside_words, check=False, timeout=4 * DEADLINE).returncode


def wait_for(folder, step):
    """The command goes on for a while after its simulator was killed."""
    deadline = time.monotonic() + DEADLINE
    while not os.path.exists(os.path.join(folder, step + ".json")) and time.monotonic() < deadline:
        time.sleep(0.1)


def judge(who, build, place):
    """What was said and settled; raises where something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "flash.bin")
        if who == "ota":
            simulate(build, "ota", folder, place, "--dump-flash", dump)
            found = read(folder, "ota")
        else:
            state = ("--state", os.path.join(folder, "state"))
            simulate(build, "sim", folder, place, *state)
            wait_for(folder, "sim")
            first = read(folder, "sim")
            if "wrong" in first:
                raise Wrong(first["wrong"])
            simulate(build, "after", folder, place, *state, "--dump-flash", dump)
            found = first | read(folder, "after")
        if "wrong" in found:
            raise Wrong(found["wrong"])
        image, start = contents(os.path.join(folder, "image.bin")), SLOTS[found["running"]]
        if contents(dump)[start : start + len(image)] != image:
            raise Wrong(f"ota_{found['running']} runs, and its flash does not hold the image")
        return found


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    if sys.argv[1:2] == ["--inside"]:
        run_inside(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("who", choices=["ota", "sim"])
    parser.add_argument("random", nargs="?", type=int, default=100)
    parser.add_argument("build", nargs="?", default=".build/debug")
    parser.add_argument("--jobs", type=int, default=4)
    arguments = parser.parse_args()
    generator = random.Random(arguments.random)
    places = PHASES + MILESTONES + [generator.random() for _ in range(arguments.random)]
    build, lock, failures = os.path.abspath(arguments.build), threading.Lock(), []
    waiting = list(reversed(places))

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                place = waiting.pop()
            try:
                found = judge(arguments.who, build, place)
                line = f"killed at {name_of(place)}: said {found['said'] or 'nothing'}, {found['settled']}; then confirmed"
            except (Wrong, OSError, subprocess.SubprocessError, ValueError) as error:
                failures.append(place)
                line = f"WRONG killed at {name_of(place)}: {error}"
            with lock:
                print(line, flush=True)

    workers = [threading.Thread(target=work) for _ in range(arguments.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{len(places)} kills of espurr-{arguments.who}: {len(places) - len(failures)} right, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
