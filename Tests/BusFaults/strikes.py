#!/usr/bin/env python3
"""Lets every fault strike one request of each phase of an installation beside simulated ears, over a real message bus.

    strikes.py [BUILD] [--jobs N] [WORD]...

BUILD is .build/debug; N (8) cases are under way beside each other, for most of their time waiting for a deadline. WORDs
choose cases by name. The faults are those of the matrix in virtual time, but for a command that dies (kills.py); a
cancelled one gets SIGINT where its phase is logged. In the exchange form of an upload, and at the sending in both forms.

After each, `status --wait` has to end with a verdict that its own reading bears out, what the command had said has to be
true, the next installation has to be confirmed, and the slot that runs is compared with the image byte for byte.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile

from judging import (
    DEADLINE, Wrong, confirmed_install, download, holds_image, install, judge_all, keep, read, settle, simulate,
    target_version,
)  # fmt: skip

STAGES = ["opening", "erasing", "sending", "verifying", "restarting", "reconnecting", "watching"]
KINDS = [
    "request-lost", "reply-lost", "reply-twice", "link-dropped", "power-lost-before", "power-lost-after", "stall",
]  # fmt: skip
CANCEL = "cancelled"
EXCHANGE = ("--fault", "without=update-stream")
SCRIPT = os.path.abspath(__file__)


def cases():
    exchange = [(stage, kind, "exchange") for stage in STAGES for kind in KINDS]
    stream = [("sending", kind, "stream") for kind in KINDS]
    # Before the erasing nothing is logged, and nothing is begun.
    return exchange + stream + [(stage, CANCEL, "exchange") for stage in STAGES[1:]]


def inside(stage, kind, folder):
    version = target_version()
    download(version, folder)
    process = install(version)
    said = None
    for line in process.stdout:
        event = json.loads(line)
        said = event.get("verdict", said)
        if kind == CANCEL and event.get("phase") == stage:
            process.send_signal(signal.SIGINT)
            kind = None
    status = process.wait(DEADLINE)
    if said == "confirmed" and status != 0 or said != "confirmed" and status == 0:
        raise Wrong(f"it said {said} and ended with {status}")
    settled = settle(version, said, has_restarted=False)
    return {"said": said, "status": status, "settled": settled, "running": confirmed_install(version)}


def judge(case, build):
    stage, kind, form = case
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "flash.bin")
        options = ["--dump-flash", dump, *(EXCHANGE if form == "exchange" else ())]
        if kind != CANCEL:
            options += ["--fault", f"strike={stage}:{kind}"]
        simulate(build, options, [sys.executable, SCRIPT, "--inside", stage, kind, folder])
        found = read(folder, "found")
        holds_image(dump, folder, found["running"])
        return f"{found['status']} {found['said'] or 'not begun'}, {found['settled']}; then confirmed"


def run_inside(stage, kind, folder):
    try:
        found = inside(stage, kind, folder)
    except (Wrong, subprocess.SubprocessError) as wrong:
        found = {"wrong": str(wrong)}
    keep(found, folder, "found")


def main():
    # A shell that starts this beside other work has it ignore Ctrl-C, and what is started here would do so too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.argv[1:2] == ["--inside"]:
        run_inside(*sys.argv[2:5])
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default=".build/debug")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--jobs", type=int, default=8)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    chosen = [case for case in cases() if all(word in case for word in arguments.words)]
    return judge_all(chosen, " ".join, lambda case: judge(case, build), arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
