#!/usr/bin/env python3
"""Kills espurr-ota (SIGKILL) at each phase of an installation and at random moments of its upload, beside simulated ears.

usage: check.py [RANDOM [BUILD]]      RANDOM kills in the upload (100 unless it is said), BUILD is .build/debug

After each kill `status --wait` has to end with a verdict that its own reading bears out, and the next installation has to
be confirmed. At the end the image is compared, byte for byte, with the flash that the ears leave.
"""
import json, os, random, subprocess, sys, tempfile, time

PHASES = ["erasing", "sending", "verifying", "restarting", "reconnecting", "watching"]
MILESTONES = ["sent", "accepted", "selected", "booted"]
DEADLINE = 120
SLOTS = {0: 0x10000, 1: 0x1C0000}  # of the family esp32


class Wrong(Exception):
    pass


def said(process):
    """JSON Lines, as they come."""
    for line in process.stdout:
        yield json.loads(line)


def install(version):
    return subprocess.Popen(
        ["espurr-ota", "install", version, "--yes", "--allow-reinstall", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def killed_install(version, where):
    """Installs, and kills the command at `where`: an event's name, or a share of the upload."""
    process = install(version)
    verdict = None
    for event in said(process):
        if event["event"] == "verdict":
            verdict = event["verdict"]
        name = event.get("phase") or event.get("milestone")
        share = event["bytes"] / event["total"] if event["event"] == "progress" and event.get("phase") == "sending" else None
        if name == where if isinstance(where, str) else share is not None and share >= where:
            time.sleep(random.uniform(0, 0.1))
            break
    process.kill()
    process.wait(DEADLINE)
    process.stdout.close()
    return verdict


def check_status(target):
    run = subprocess.run(["espurr-ota", "status", "--wait", "--json"], capture_output=True, text=True, timeout=DEADLINE)
    if not run.stdout:
        # The ears were just about to restart: whoever asks, asks again.
        run = subprocess.run(
            ["espurr-ota", "status", "--wait", "--json"], capture_output=True, text=True, timeout=DEADLINE)
    if not run.stdout:
        raise Wrong(f"status said nothing, {run.returncode}: {run.stderr}")
    document = json.loads(run.stdout)
    attempt, reading = document["attempt"], document["reading"]
    running = next(slot for slot in reading["slots"] if slot["running"])
    if attempt is None:
        return "nothing to settle"
    verdict = attempt["verdict"]
    holds = {
        "confirmed": running["version"] == target and running["state"] == "valid",
        "link_lost_old_firmware_runs": reading["selected_slot"] == reading["running_slot"],
        "selected_not_restarted": reading["selected_slot"] != reading["running_slot"],
        "rolled_back": any(slot["state"] in ("aborted", "invalid") for slot in reading["slots"]),
    }
    if not holds.get(verdict, False):
        raise Wrong(f"status said {verdict}, and read {reading}")
    return verdict


def confirmed_install(version):
    process = install(version)
    events = list(said(process))
    status = process.wait(DEADLINE)
    verdict = events[-1].get("verdict") if events else None
    if status != 0 or verdict != "confirmed":
        raise Wrong(f"the next installation ended with {status}, {verdict}")


def inside(count, folder):
    target = json.loads(subprocess.run(
        ["espurr-ota", "check", "--json"], capture_output=True, text=True, check=True).stdout)["offer"]["version"]
    subprocess.run(["espurr-ota", "download", target, "--family", "esp32", "--output", folder], check=True, capture_output=True)
    random.seed(count)
    places = PHASES + MILESTONES + [random.random() for _ in range(count)]
    for place in places:
        try:
            finished = killed_install(target, place)
            verdict = check_status(target)
            confirmed_install(target)
        except Wrong as wrong:
            print(f"WRONG killed at {place}: {wrong}", flush=True)
            return 1
        shown = place if isinstance(place, str) else f"{place:.0%} of the upload"
        print(f"killed at {shown}: {finished or verdict}; then confirmed", flush=True)
    status = json.loads(subprocess.run(
        ["espurr-ota", "status", "--json"], capture_output=True, text=True, check=True).stdout)
    with open(os.path.join(folder, "running"), "w") as file:
        file.write(str(status["reading"]["running_slot"]))
    return 0


def main():
    if sys.argv[1:2] == ["--inside"]:
        return inside(int(sys.argv[2]), sys.argv[3])
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    build = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else ".build/debug")
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "flash.bin")
        run = subprocess.run([
            os.path.join(build, "espurr-sim"), "run", "--family", "esp32", "--dump-flash", dump, "--",
            sys.executable, os.path.abspath(__file__), "--inside", str(count), folder])
        if run.returncode != 0:
            return run.returncode
        image = contents(next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".bin")
                              and name != "flash.bin"))
        running = int(contents(os.path.join(folder, "running")))
        start = SLOTS[running]
        if contents(dump)[start:start + len(image)] != image:
            print(f"WRONG ota_{running} runs, and its flash does not hold the image")
            return 1
        print(f"{len(PHASES) + len(MILESTONES) + count} kills, all confirmed afterwards; ota_{running} holds the image")
        return 0


def contents(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main())
