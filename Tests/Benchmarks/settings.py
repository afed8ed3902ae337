"""How long a change of a setting takes beside simulated ears, and how long the command takes to start.

    settings.py COUNT FOLDER

FOLDER holds `espurr-ctl` and `espurr-sim`, built for release. A change is a whole process each time, from its start to its
end, which is when the ears said saved and the value was read back. What the simulated link and the simulated flash take
by themselves is taken off: the figures stand in the simulator's sources, and are read there. The start is that of
`--version`, beside `bluetoothctl --version` where that is installed. Needs Python alone, and a machine that does nothing
else.
"""

import os
import re
import statistics
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
LIMIT = 60


def milliseconds(file, names, after=""):
    """Durations that a source file of the simulator gives these names."""
    with open(os.path.join(ROOT, "Sources/Simulator", file), encoding="utf-8") as source:
        text = source.read().split(after, 1)[1] if after else source.read()
    return sum(int(re.search(rf"\b{name}\b[^.\n]*\.milliseconds\((\d+)\)", text)[1]) for name in names)


def simulated():
    link = milliseconds("BlueZ/DaemonTiming.swift", ["connect", "resolveServices", "disconnect"], "static let brisk")
    flash = milliseconds("Device/Configuration.swift", ["applyChange", "saveDelay", "saveChange"])
    return link, flash


def timed(words):
    start = time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return (time.monotonic() - start) * 1000


def summary(times):
    return f"median {statistics.median(times):.1f} ms, least {min(times):.1f}, most {max(times):.1f} ({len(times)})"


def changes(count):
    """Within `espurr-sim run`."""
    times = [timed(["espurr-ctl", "set", "--quiet", "brightness", str(number % 90 + 1)]) for number in range(count + 2)]
    link, flash = simulated()
    own = [taken - link - flash for taken in times[2:]]
    print(f"set brightness, from start to confirmed: {summary(times[2:])}")
    print(f"  of that the simulated link {link} ms and the simulated save {flash} ms; beyond them: {summary(own)}")
    return 0 if statistics.median(own) < LIMIT else 1


def starts(count, folder):
    programs = [os.path.join(folder, "espurr-ctl"), "/usr/bin/bluetoothctl"]
    for words in ([program, "--version"] for program in programs if os.access(program, os.X_OK)):
        timed(words)
        print(" ".join(words) + ":", summary([timed(words) for _ in range(count)]))


def main(count, folder):
    if folder == "inside":
        return changes(int(count))
    folder = os.path.abspath(folder)
    starts(int(count), folder)
    script = os.path.abspath(__file__)
    inside = [os.path.join(folder, "espurr-sim"), "run", "--", sys.executable, script, count, "inside"]
    return subprocess.run(inside, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
