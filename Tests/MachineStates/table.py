"""Every state that keeps a machine from its ears, as the commands tell it: cause, remedy, status, time.

    python3 Tests/MachineStates/table.py FOLDER-OF-THE-COMMANDS [STATE…]

Each state is made by espurr-sim. "doctor" and the other commands are run in it, plain and with --json, and the table of
what they said is printed. It fails where a status or code is another than is written below, doctor takes a second or
more, another command outlives its deadline, a trace shows, a remedy is missing, a command has other words for a state
than doctor, or two states that have to be told apart have the same words. Python's standard library alone.
"""

import concurrent.futures
import fcntl
import json
import os
import re
import subprocess
import sys
import time

# A daemon that is silent is given 5 s; the rest is what a busy machine takes to start a process.
DEADLINE = 9.0
DOCTOR_DEADLINE = 1.0
ATTEMPTS = 3

CTL = {
    "scan": ["espurr-ctl", "scan", "--timeout", "1s"],
    "pair": ["espurr-ctl", "pair", "--accept-any-passkey", "--timeout", "1s"],
    "devices": ["espurr-ctl", "devices"],
    "info": ["espurr-ctl", "info", "--timeout", "3s"],
    "get": ["espurr-ctl", "get", "--timeout", "3s"],
    "set": ["espurr-ctl", "set", "brightness", "40", "--timeout", "3s"],
}
OTA = {
    "check": ["espurr-ota", "check", "--timeout", "3s"],
    "install": ["espurr-ota", "install", "--yes", "--timeout", "3s"],
    "status": ["espurr-ota", "status", "--timeout", "3s"],
}
COMMANDS = CTL | OTA
SESSIONS = ["info", "get", "set", "check", "install", "status"]


def machine(options, status, code):
    """A state that every command meets before it comes to the ears."""
    return {"options": options, "doctor": (status, code, "obstacle"),
            "commands": {name: (status, code) for name in COMMANDS}}


def met(options, status, code, names, doctor=None):
    """A state that only some commands meet."""
    return {"options": options, "doctor": doctor, "commands": {name: (status, code) for name in names}}


def works(options, code, names=("scan", "info"), setup=None):
    """A state that stops nobody: doctor says it, and the commands do their job."""
    return {"options": options, "doctor": (0, code, "caution" if code else None), "setup": setup,
            "commands": {name: (0, None) for name in names}}


def fault(*names):
    return [word for name in names for word in ("--fault", name)]


STATES = {
    "all is well": works([], None, ("scan", "devices", "info", "get", "check", "status")),
    "no-bus": machine(fault("no-bus"), 10, "no_bus"),
    "hung-bus": machine(fault("hung-bus"), 10, "bus_silent"),
    "bus-denied": machine(fault("bus-denied"), 13, "bus_not_permitted"),
    "access-denied": machine(fault("access-denied"), 13, "not_permitted"),
    "no-daemon": machine(fault("no-daemon"), 10, "no_daemon"),
    "activatable-daemon": machine(fault("activatable-daemon"), 10, "daemon_not_running"),
    "hung-daemon": machine(fault("hung-daemon"), 10, "daemon_silent"),
    # It ends once, so that only the first command meets it.
    "daemon-dies": met(fault("daemon-dies"), 10, "daemon_ended", ["info"]) | {"once": True},
    "old-bluez": machine(fault("old-bluez"), 10, "bluez_too_old"),
    "no-adapter": machine(fault("no-adapter"), 10, "no_adapter"),
    "adapter-off": machine(fault("adapter-off"), 10, "adapter_off"),
    "adapter-soft-blocked": machine(fault("adapter-soft-blocked"), 10, "adapter_soft_blocked"),
    "adapter-hard-blocked": machine(fault("adapter-hard-blocked"), 10, "adapter_hard_blocked"),
    "adapter-blocked": machine(fault("adapter-blocked"), 10, "adapter_blocked"),
    "no-such-adapter": machine([], 10, "no_such_adapter") | {"extra": ["--adapter", "hci7"]},
    "two adapters": works(["--adapters", "2"], "several_adapters", ("scan", "devices", "info", "status")),
    "discovering-elsewhere": works(fault("discovering-elsewhere"), "discovering_elsewhere"),
    "already-connected": works(fault("already-connected"), "connected_elsewhere", ("scan", "info", "status")),
    "held-elsewhere": met(fault("held-elsewhere"), 10, "held_elsewhere", SESSIONS,
                          (10, "held_elsewhere", "obstacle")),
    "held by a command": met([], 10, "ears_held", SESSIONS, (0, "ears_held", "caution")) | {"setup": "hold"},
    "default-agent": works(fault("default-agent"), "default_agent", ("scan", "info")),
    "stale-cache": met(fault("stale-cache"), 14, "stale_services", SESSIONS, (14, "stale_services", "obstacle")),
    "stale-bond": met(fault("stale-bond"), 12, "stale_bond", SESSIONS),
    "nothing paired": met(["--unpaired"], 12, "not_paired", ["info", "get", "set", "check", "install", "status"],
                          (0, "nothing_paired", "caution")),
    "absent": met(fault("absent"), 11, "ears_not_found", ["info", "get", "set", "check", "install", "status"]),
    "unproved bond": works([], "unproved_bond", (), "unfinished"),
    "no trusted root": met([], 20, "no_root", ["check", "install"], (20, "no_root", "obstacle")) | {"setup": "rootless"},
    "clock behind": works([], "clock_behind", ("scan", "info"), "future")
    | {"doctor": (20, "clock_behind", "obstacle")},
}

# These are known by the same words, whatever the adapter or the address.
TOLD_APART = [name for name, state in STATES.items() if state["doctor"] and state["doctor"][1]]


# MARK: Within the simulation


def setup_unfinished(_):
    folder = os.environ["XDG_STATE_HOME"] + "/espurr/pairings"
    os.makedirs(folder)
    open(folder + "/02-5A-11-00-00-01_02-E5-50-5C-1A-01", "w").close()


def setup_rootless(_):
    os.unlink(os.environ["XDG_CONFIG_HOME"] + "/espurr/config.json")


def setup_future(run):
    run(COMMANDS["check"])
    catalogues = os.environ["XDG_STATE_HOME"] + "/espurr/catalogue"
    with open(f"{catalogues}/{os.listdir(catalogues)[0]}/last-refresh", "w") as file:
        file.write("2999-01-01T00:00:00Z")


def setup_hold(_):
    """Owns the ears as a command does; open as long as this process lives."""
    folder = os.environ["XDG_RUNTIME_DIR"] + "/espurr"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    global held
    held = open(folder + "/hci0-02-e5-50-5c-1a-01.lock", "w")
    fcntl.flock(held, fcntl.LOCK_EX)
    held.write(f"{os.getpid()}\n")
    held.flush()


def inside(name):
    """Runs the state's commands and prints what they did as one JSON document."""
    state = STATES[name]

    def run(words):
        begin = time.monotonic()
        try:
            done = subprocess.run(words + state.get("extra", []), capture_output=True, text=True, timeout=60)
            result = {"status": done.returncode, "out": done.stdout, "err": done.stderr}
        except subprocess.TimeoutExpired:
            result = {"status": None, "out": "", "err": "no end within 60 s"}
        return result | {"seconds": time.monotonic() - begin}

    if state.get("setup"):
        globals()["setup_" + state["setup"]](run)
    doctor = []
    for words in (["espurr-ctl", "doctor"], ["espurr-ctl", "doctor", "--json"]):
        # A busy machine may take its time to start a process: the fastest of a few counts.
        runs = [run(words)]
        while runs[-1]["seconds"] >= DOCTOR_DEADLINE and len(runs) < ATTEMPTS:
            runs.append(run(words))
        doctor.append(min(runs, key=lambda one: one["seconds"]))
    forms = [["--json"]] if state.get("once") else [[], ["--json"]]
    jobs = [(command, form, COMMANDS[command] + form) for command in state["commands"] for form in forms]
    # What changes nothing may run side by side; what owns the ears may not.
    side_by_side = 6 if state["doctor"] and state["doctor"][2] == "obstacle" and state["doctor"][0] in (10, 13) \
        and name not in ("held-elsewhere",) else 1
    with concurrent.futures.ThreadPoolExecutor(side_by_side) as pool:
        results = list(pool.map(lambda job: run(job[2]), jobs))
    print(json.dumps({"doctor": doctor, "commands": [
        {"name": command, "json": bool(form)} | result for (command, form, _), result in zip(jobs, results)]}))


# MARK: Outside


def trace(text):
    return re.search(r"Fatal error|Traceback|Stack dump|\bat /.*\.swift:\d+|Illegal instruction", text)


class Judge:
    def __init__(self):
        self.failures = []
        self.rows = []
        self.words = {}

    def expect(self, holds, state, command, what):
        if not holds:
            self.failures.append(f"{state}, {command}: {what}")

    def error_of(self, state, command, result):
        """The error document of a --json run, checked against the lines that a person gets."""
        documents = [json.loads(line) for line in result["out"].splitlines() if line.startswith("{")]
        errors = [document["error"] for document in documents if "error" in document]
        errors += [document for document in documents if document.get("event") == "verdict" and "cause" in document]
        self.expect(len(errors) == 1, state, command, f"{len(errors)} error documents: {result['out']!r}")
        return errors[0] if errors else {}

    def doctor(self, state, expected, plain, structured):
        status, code, weight = expected or (0, None, None)
        for result in (plain, structured):
            said = result["out"] + result["err"]
            self.expect(result["status"] == status, state, "doctor", f"ended with {result['status']}: {said!r}")
            self.expect(not trace(said), state, "doctor", f"a trace: {said!r}")
            self.expect(result["seconds"] < DOCTOR_DEADLINE, state, "doctor", f"{result['seconds']:.2f} s")
        document = json.loads(structured["out"])
        self.expect(document["schema"] == "espurr.doctor/1", state, "doctor", "another schema")
        found = [finding for finding in document["findings"] if finding["code"] == code]
        for finding in document["findings"]:
            self.expect(finding["cause"] and finding["remedy"], state, "doctor", f"cause or remedy missing: {finding}")
            self.expect(finding["cause"] in plain["out"] or "process" in finding["cause"], state, "doctor",
                        f"not in the text: {finding}")
        if code is None:
            self.expect(document["findings"] == [], state, "doctor", f"findings: {document['findings']}")
            self.rows.append((state, "doctor", status, plain["seconds"], "nothing is in the way", ""))
            return None
        self.expect(len(found) == 1, state, "doctor", f"{code} not found once: {document['findings']}")
        if not found:
            return None
        self.expect(found[0]["weight"] == weight, state, "doctor", f"weight {found[0]['weight']}")
        self.rows.append((state, "doctor", status, plain["seconds"], found[0]["cause"], found[0]["remedy"]))
        self.words[state] = (found[0]["cause"], found[0]["remedy"])
        return found[0]

    def command(self, state, expected, finding, plain, structured):
        status, code = expected
        name = plain["name"]
        for result in (plain, structured):
            said = result["out"] + result["err"]
            self.expect(result["status"] == status, state, name, f"ended with {result['status']}: {said!r}")
            self.expect(not trace(said), state, name, f"a trace: {said!r}")
            if status:
                self.expect(result["seconds"] < DEADLINE, state, name, f"{result['seconds']:.2f} s")
        cause = remedy = ""
        if status:
            error = self.error_of(state, name, structured)
            cause, remedy = error.get("cause", ""), error.get("remedy", "")
            self.expect(error.get("code") == code, state, name, f"code {error.get('code')}")
            self.expect(cause and remedy, state, name, "cause or remedy missing")
            self.expect(any(cause in line for line in plain["err"].splitlines()), state, name,
                        f"other words for people: {plain['err']!r}")
            silent = code in ("bus_silent", "daemon_silent", "ears_held")
            if finding and finding["weight"] == "obstacle" and finding["code"] == code and not silent:
                self.expect((cause, remedy) == (finding["cause"], finding["remedy"]), state, name,
                            f"other words than doctor's: {cause!r} {remedy!r}")
        self.rows.append((state, name, status, plain["seconds"], cause, remedy))

    def told_apart(self, states):
        seen = {}
        for state in states:
            if state not in self.words:
                continue
            cause = self.words[state][0]
            if cause in seen:
                self.failures.append(f"{state} has the same words as {seen[cause]}: {cause}")
            seen[cause] = state


def outside(folder, names):
    environment = os.environ | {"PATH": folder + ":" + os.environ["PATH"]}

    def run(name):
        words = [folder + "/espurr-sim", "run"] + STATES[name]["options"]
        words += ["--", sys.executable, os.path.abspath(__file__), "--inside", name]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    judge = Judge()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name, results in zip(names, pool.map(run, names)):
            state = STATES[name]
            finding = judge.doctor(name, state["doctor"], *results["doctor"])
            commands = results["commands"]
            if state.get("once"):
                commands = [one for one in commands for _ in range(2)]
            for plain, structured in zip(commands[::2], commands[1::2]):
                judge.command(name, state["commands"][plain["name"]], finding, plain, structured)
    judge.told_apart(TOLD_APART)
    for state, command, status, seconds, cause, remedy in judge.rows:
        print(f"{state:22} {command:8} {status:3} {seconds:5.2f} s  {cause}" + (f"  → {remedy}" if remedy else ""))
    for failure in judge.failures:
        print("FAILED", failure)
    print(f"{len(judge.rows)} rows, {len(judge.failures)} failed")
    return 1 if judge.failures else 0


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(sys.argv[2])
    else:
        sys.exit(outside(os.path.abspath(sys.argv[1]), sys.argv[2:] or list(STATES)))
