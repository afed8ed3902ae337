"""An installation over the simulated bus, and whether what was said about it is true."""

import json
import os
import subprocess
import tempfile
import threading

DEADLINE = 120
SLOTS = {0: 0x10000, 1: 0x1C0000}  # of the family esp32
INSTALL = ["espurr-ota", "install", "--yes", "--allow-reinstall", "--json"]


class Wrong(Exception):
    """What was said is not so, or what has to come did not."""


def install(version):
    return subprocess.Popen(INSTALL + [version], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


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
        "image_unusable": reading["selected_slot"] == reading["running_slot"],
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


def read(folder, step):
    try:
        with open(os.path.join(folder, step + ".json"), encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        raise Wrong(f"{step}: nothing was found") from None
    if "wrong" in found:
        raise Wrong(found["wrong"])
    return found


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def holds_image(dump, folder, running):
    """Whether the slot that runs holds the downloaded image, byte for byte."""
    image, start = contents(os.path.join(folder, "image.bin")), SLOTS[running]
    if contents(dump)[start : start + len(image)] != image:
        raise Wrong(f"ota_{running} runs, and its flash does not hold the image")


def keep(found, folder, step):
    """For whoever is outside: the run may be killed."""
    path = os.path.join(folder, step + ".json")
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.rename(path + ".part", path)


def simulate(build, options, words, limit=4 * DEADLINE):
    command = [os.path.join(build, "espurr-sim"), "run", "--family", "esp32", *options, "--", *words]
    return subprocess.run(command, check=False, timeout=limit).returncode


def judge_all(cases, name, judge, jobs):
    """Judges the cases, several beside each other; the exit status."""
    waiting, failures, lock = list(reversed(cases)), [], threading.Lock()

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                case = waiting.pop()
            try:
                line = f"{name(case)}: {judge(case)}"
            except (Wrong, OSError, subprocess.SubprocessError, ValueError) as error:
                failures.append(case)
                line = f"WRONG {name(case)}: {error}"
            with lock:
                print(line, flush=True)

    workers = [threading.Thread(target=work) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{len(cases) - len(failures)} right, {len(failures)} wrong")
    return 1 if failures else 0
