#!/usr/bin/env python3
"""Kills a process (SIGKILL) at each phase of an installation and at random moments of its upload, beside simulated ears.

    kills.py ota|sim [RANDOM [BUILD]] [--jobs N]

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
import sys
import tempfile
import time

from judging import (
    DEADLINE, Wrong, confirmed_install, download, holds_image, install, judge_all, keep, read, settle, simulate,
    target_version,
)  # fmt: skip

PHASES = ["erasing", "sending", "verifying", "restarting", "reconnecting", "watching"]
MILESTONES = ["sent", "accepted", "selected", "booted"]
SCRIPT = os.path.abspath(__file__)


def name_of(place):
    return place if isinstance(place, str) else f"{place:.0%} of the upload"


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


# --- Within a run of the simulator; what is found goes to a file, for the run may be killed.


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
    keep(found, folder, step)


# --- Outside


def wait_for(folder, step):
    """The command goes on for a while after its simulator was killed."""
    deadline = time.monotonic() + DEADLINE
    while not os.path.exists(os.path.join(folder, step + ".json")) and time.monotonic() < deadline:
        time.sleep(0.1)


def judge(who, build, place):
    """What was said and settled; raises where something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "flash.bin")

        def run(step, *options):
            simulate(build, options, [sys.executable, SCRIPT, "--inside", step, folder, json.dumps(place)])

        if who == "ota":
            run("ota", "--dump-flash", dump)
            found = read(folder, "ota")
        else:
            state = ("--state", os.path.join(folder, "state"))
            run("sim", *state)
            wait_for(folder, "sim")
            first = read(folder, "sim")
            run("after", *state, "--dump-flash", dump)
            found = first | read(folder, "after")
        holds_image(dump, folder, found["running"])
        return f"said {found['said'] or 'nothing'}, {found['settled']}; then confirmed"


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
    build = os.path.abspath(arguments.build)
    return judge_all(
        places, lambda place: f"espurr-{arguments.who} killed at {name_of(place)}",
        lambda place: judge(arguments.who, build, place), arguments.jobs,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
