"""A pairing that is killed at each message between espurr-ctl and the message bus.

    python3 Tests/InterruptedPairing/check.py FOLDER-OF-THE-COMMANDS [--short] [--list]

A proxy stands between the command and the simulated bus. It lets a whole pairing through once and writes down every call
and every answer to one; then it repeats the pairing for each of them and ends the command just before that message is
passed on, with SIGKILL and with SIGTERM. Afterwards BlueZ's own word is asked (dbus-fast, not the product): no device may
be paired that the command did not prove; and after the next command of any kind none may be left at all, nor a pairing
under way, nor an agent; the next pairing works. The same with ears that BlueZ pairs without comparing (just-works), whose
bond must never last.

--short takes the messages that mark the steps; --list prints the messages of a pairing.
"""

import asyncio
import concurrent.futures
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile

EARS = "02:E5:50:5C:1A:01"
# A command that was told to end in order cleans up first.
END_DEADLINE = 30
# The marks of the steps, for --short.
MARKS = ["call RegisterAgent", "call Pair", "asked RequestConfirmation", "reply to RequestConfirmation", "reply to Pair",
         "call UnregisterAgent", "call RemoveDevice", "reply to RemoveDevice", "call Disconnect", "call Connect",
         "reply to Connect", "call ReadValue", "call WriteValue"]


# MARK: The proxy


class Frames:
    """D-Bus messages in a stream of bytes (D-Bus specification, "Message Format"), after the authentication."""

    def __init__(self, authenticates):
        self.buffer = b""
        self.authenticates = authenticates

    def feed(self, data):
        self.buffer += data
        frames = []
        if self.authenticates:
            end = self.buffer.find(b"BEGIN\r\n")
            if end < 0:
                frames, self.buffer = [(None, self.buffer)], b""
                return frames
            end += len(b"BEGIN\r\n")
            frames.append((None, self.buffer[:end]))
            self.buffer, self.authenticates = self.buffer[end:], False
        while len(self.buffer) >= 16:
            order = "<" if self.buffer[0:1] == b"l" else ">"
            body, serial, fields = struct.unpack_from(order + "III", self.buffer, 4)
            length = 16 + (fields + 7) // 8 * 8 + body
            if len(self.buffer) < length:
                break
            frame, self.buffer = self.buffer[:length], self.buffer[length:]
            frames.append((self.header(frame, order, serial, fields), frame))
        return frames

    @staticmethod
    def header(frame, order, serial, fields):
        header = {"kind": frame[1], "serial": serial}
        place, end = 16, 16 + fields
        while place < end:
            place = (place + 7) // 8 * 8
            code = frame[place]
            kind = chr(frame[place + 2])
            place += 4
            if kind == "u":
                place = (place + 3) // 4 * 4
                value = struct.unpack_from(order + "I", frame, place)[0]
                place += 4
            elif kind == "g":
                value = frame[place + 1:place + 1 + frame[place]].decode()
                place += frame[place] + 2
            else:
                place = (place + 3) // 4 * 4
                size = struct.unpack_from(order + "I", frame, place)[0]
                value = frame[place + 4:place + 4 + size].decode()
                place += size + 5
            header[code] = value
        return header


class Proxy:
    """Between one command and the bus; ends the command before the message of a name."""

    def __init__(self, bus, path, target, number):
        self.bus, self.path, self.target, self.number = bus, path, target, number
        self.seen, self.calls, self.asked = [], {}, {}
        self.counts = {}
        self.process = None

    def name(self, header, from_client):
        """Of a call or an answer to one; signals come when they like and are not counted."""
        if header["kind"] == 1:
            member = header[3]
            # Sent when a stream is let go of, which is at no fixed place.
            if member == "RemoveMatch":
                return None
            (self.calls if from_client else self.asked)[header["serial"]] = member
            text = ("call " if from_client else "asked ") + member
        elif header["kind"] in (2, 3):
            member = (self.asked if from_client else self.calls).get(header[5])
            if member is None:
                return None
            text = "reply to " + member
        else:
            return None
        self.counts[text] = self.counts.get(text, 0) + 1
        return text if self.counts[text] == 1 else f"{text} ({self.counts[text]})"

    async def pump(self, reader, writer, from_client):
        frames = Frames(authenticates=from_client)
        authentication = not from_client
        while data := await reader.read(65536):
            if authentication:
                # The bus's lines of the authentication end where its first message begins.
                writer.write(data)
                authentication = not data.startswith((b"OK ", b"AGREE")) or b"AGREE" not in data
                continue
            for header, frame in frames.feed(data):
                name = header and self.name(header, from_client)
                if name:
                    self.seen.append(name)
                    if name == self.target:
                        self.process.send_signal(self.number)
                        if self.number == signal.SIGKILL:
                            return
                writer.write(frame)
            await writer.drain()

    async def serve(self, reader, writer):
        upstream = self.bus.split("path=")[1].split(",")[0]
        bus_reader, bus_writer = await asyncio.open_unix_connection(upstream)
        pumps = [asyncio.create_task(self.pump(reader, bus_writer, True)),
                 asyncio.create_task(self.pump(bus_reader, writer, False))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in pumps:
                one.cancel()
            bus_writer.close()
            writer.close()

    async def run(self, words):
        server = await asyncio.start_unix_server(self.serve, self.path)
        environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + self.path}
        self.process = await asyncio.create_subprocess_exec(
            *words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            out, err = await asyncio.wait_for(self.process.communicate(), END_DEADLINE)
        except TimeoutError:
            self.process.kill()
            raise SystemExit(f"no end within {END_DEADLINE} s, ended at {self.target}")
        server.close()
        return self.process.returncode, out.decode(), err.decode()


# MARK: Within the simulation


async def paired():
    """What BlueZ itself says: the devices that are paired or bonded."""
    from dbus_fast.aio import MessageBus
    from dbus_fast import BusType, Message

    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    reply = await bus.call(Message(
        destination="org.bluez", path="/", interface="org.freedesktop.DBus.ObjectManager", member="GetManagedObjects"))
    bus.disconnect()
    devices = [interfaces["org.bluez.Device1"] for interfaces in reply.body[0].values()
               if "org.bluez.Device1" in interfaces]
    return [device["Address"].value for device in devices if device["Paired"].value or device["Bonded"].value]


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def records():
    folder = os.environ["XDG_STATE_HOME"] + "/espurr/pairings"
    return os.listdir(folder) if os.path.isdir(folder) else []


async def inside(target, number, compares):
    with tempfile.TemporaryDirectory() as folder:
        proxy = Proxy(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], folder + "/proxy", target, number)
        words = ["espurr-ctl", "pair", "--accept-any-passkey", "--device", EARS, "--json"]
        status, out, err = await proxy.run(words)
        report = {"seen": proxy.seen, "status": status, "out": out, "err": err, "problems": []}
        if target is None:
            print(json.dumps(report))
            return
        problems = report["problems"]
        if target not in proxy.seen:
            problems.append("the message did not come")
        if number == signal.SIGKILL and status != -signal.SIGKILL:
            problems.append(f"ended with {status}, not by the signal")
        report["left"], report["records"] = await paired(), records()
        proved = '"proved":true' in out or not report["records"] and report["left"]
        if report["left"] and not report["records"] and not compares:
            problems.append("a bond without a comparison, and no record of it")
        code, out, err = run("espurr-ctl", "devices", "--json")
        after = await paired()
        if code != 0 or json.loads(out)["devices"] and not proved:
            problems.append(f"devices: {code} {out} {err}")
        if report["left"] and report["records"] and (after or "cut off" not in err):
            problems.append(f"the unproved bond was not removed, or not said: {after} {err!r}")
        if records():
            problems.append(f"records stay: {records()}")
        if after:
            code, out, err = run("espurr-ctl", "info", "--json")
        else:
            code, out, err = run("espurr-ctl", "pair", "--accept-any-passkey", "--device", EARS, "--json")
        if code != (0 if compares else 12):
            problems.append(f"the next one: {code} {out} {err}")
        if bool(await paired()) != compares:
            problems.append(f"bonds at the end: {await paired()}")
        print(json.dumps(report))


# MARK: Outside


def outside(folder, short, lists):
    environment = os.environ | {"PATH": folder + ":" + os.environ["PATH"]}

    def simulate(options, *arguments):
        words = [folder + "/espurr-sim", "run", "--unpaired"] + options
        words += ["--", sys.executable, os.path.abspath(__file__), "--inside"] + [str(one) for one in arguments]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=180)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"problems": [done.stdout + done.stderr], "seen": []}

    failed = passed = 0
    for title, options, compares in [("compared", [], 1), ("just works", ["--fault", "just-works"], 0)]:
        whole = simulate(options, "-", 9, compares)
        names = [name for name in whole["seen"] if not short or name in MARKS]
        if lists:
            print(title, *names, sep="\n  ")
            continue
        if "call Pair" not in names:
            raise SystemExit(f"{title}: no pairing: {whole}")
        jobs = [(name, number) for name in names for number in (signal.SIGKILL, signal.SIGTERM)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = pool.map(lambda job: simulate(options, job[0], int(job[1]), compares), jobs)
            for (name, number), report in zip(jobs, results):
                left = "a bond left, and mended" if report.get("left") and report.get("records") else ""
                print(f"{title:10} {number.name} before “{name}”: {'FAILED' if report['problems'] else 'passed'} {left}")
                for problem in report["problems"]:
                    print("    ", problem)
                failed, passed = failed + bool(report["problems"]), passed + (not report["problems"])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        target = None if sys.argv[2] == "-" else sys.argv[2]
        asyncio.run(inside(target, signal.Signals(int(sys.argv[3])), sys.argv[4] == "1"))
    else:
        sys.exit(outside(os.path.abspath(sys.argv[1]), "--short" in sys.argv, "--list" in sys.argv))
