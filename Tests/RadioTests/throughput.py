"""How fast the product's upload is, against a bare loop of the same messages in compiled code (Tests/BlueZFloor) in the
same guest, counted where they arrive: at the same ears, which take them for a second upload of the same image. Nothing
here says anything about a radio: there is none."""

import asyncio
import contextlib
import os
import pathlib
import re
import statistics
import struct
import time
from dataclasses import dataclass

from contract_peripheral import ADDRESS as CONTRACT_ADDRESS
from contract_peripheral import STREAM, ContractPeripheral
from peripheral import ADDRESS
from rig import CaseFailed, expect, succeeded

SERVICE_ID = "8a47ff4f-2c0d-4f6a-9b3e-71d05c98a6f4"  # the update endpoint
STREAM_ID = "8a47ff4d-2c0d-4f6a-9b3e-71d05c98a6f4"  # the stream characteristic
# Shorter messages are no chunks.
SHORTEST_CHUNK = 100
ROUNDS = 5
LEAST_RATIO = 0.9
LEAST_STREAM_RATIO = 0.85


def path_of(address):
    return "/org/bluez/hci0/dev_" + address.replace(":", "_")


async def connect(rig, address):
    succeeded(await rig.guest.run(
        f"dbus-send --system --print-reply --reply-timeout=60000 --dest=org.bluez {path_of(address)} org.bluez.Device1.Connect"
    ))  # fmt: skip


async def characteristic(rig, address, uuid):
    """Its path, as BlueZ's own list of objects has it."""
    result = succeeded(await rig.guest.run(
        "dbus-send --system --print-reply --dest=org.bluez / org.freedesktop.DBus.ObjectManager.GetManagedObjects"
    ))  # fmt: skip
    objects = re.split(r'object path "(?=/org/bluez/hci0/dev_\w+/service\w+/char\w+"\n)', result.out)
    for text in objects:
        path = text.split('"')[0]
        if path.startswith(path_of(address)) and "/desc" not in path and f'"{uuid}"' in text:
            return path
    raise CaseFailed(f"BlueZ has no characteristic {uuid}")


def rate(arrivals):
    """Bytes a second, from the first arrival to the last, of (value, seconds)."""
    spent = arrivals[-1][1] - arrivals[0][1]
    return sum(len(value) for value, _ in arrivals[1:]) / spent


def chunks(rig, to="espurr/update"):
    """What came to an endpoint and is long: (value, seconds)."""
    return [
        (value, when)
        for endpoint, value, when in rig.peripheral.received
        if endpoint == to and len(value) >= SHORTEST_CHUNK
    ]


# --- The messages, as far as a second session needs them (Protocol/espurr_update.proto) -------------------------------


def varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded + bytes([value]))


def fields(message):
    """Number to value: of varints, and of bytes."""
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        value = number()
        if tag & 7 == 2:
            value, at = message[at : at + value], at + value
        found[tag >> 3] = value
    return found


STATUS = b"\x0a\x00"
BEGIN, CHUNK = 2, 3  # of UpdateRequest
RECEIVING = 2  # of UpdateState


def in_bytes(value):
    return varint(len(value)) + value


def session_of(request):
    return fields(fields(request)[CHUNK])[1]


def in_session(request, session):
    """The same chunk, of another session."""
    chunk = fields(fields(request)[CHUNK])
    offset = b"\x10" + varint(chunk[2]) if chunk.get(2) else b""
    return b"\x1a" + in_bytes(b"\x08" + varint(session) + offset + b"\x1a" + in_bytes(chunk[3]))


# --- The bare loops --------------------------------------------------------------------------------------------------


class BareUpload:
    """A second upload of what the product sent, by the floor's program."""

    def __init__(self, rig, session=0):
        self.rig, self.first_session = rig, session
        writes = [value for endpoint, value, _ in rig.peripheral.received if endpoint == "espurr/update"]
        self.begin = next(value for value in writes if BEGIN in fields(value))

    async def open(self):
        """A session of its own, erased and waiting for the first byte. Its number is as long as the product's was."""
        await connect(self.rig, ADDRESS)
        self.path = await characteristic(self.rig, ADDRESS, SERVICE_ID)
        reply = await self.exchange([self.begin])
        while self.first_session and len(varint(reply[1])) != len(varint(self.first_session)):
            reply = await self.exchange([b"\x2a" + in_bytes(b"\x08" + varint(reply[1])), self.begin])
        self.session = reply[1]
        for _ in range(100):
            if reply.get(2) == RECEIVING:
                return
            await asyncio.sleep(0.2)
            reply = await self.exchange([STATUS])
        raise CaseFailed(f"the ears did not erase: {reply}")

    async def exchange(self, requests):
        """The fields of the last reply."""
        (self.rig.folder / "requests").write_bytes(b"".join(struct.pack("<H", len(r)) + r for r in requests))
        result = succeeded(await self.rig.guest.run(f"espurr-bluez-floor exchange {self.path} /host/requests", limit=600))
        return fields(bytes.fromhex(result.out.strip()))

    async def send_credited(self, chunks):
        path = await characteristic(self.rig, ADDRESS, STREAM_ID)
        ends = [fields(chunk).get(1, 0) + len(fields(chunk)[2]) for chunk in chunks]
        (self.rig.folder / "packets").write_bytes(
            b"".join(struct.pack("<IH", end, len(chunk)) + chunk for end, chunk in zip(ends, chunks))
        )
        succeeded(await self.rig.guest.run(f"espurr-bluez-floor credited {path} /host/packets", limit=600))


@dataclass(frozen=True)
class Comparison:
    """Bytes a second: of the bare loop once more than of the product, which ran between."""

    ours: list
    bare: list
    messages: int
    bytes: int

    @property
    def ratios(self):
        """Each round against the two bare loops around it: an emulated machine goes faster and slower for minutes."""
        around = map(statistics.mean, zip(self.bare, self.bare[1:]))
        return [ours / bare for ours, bare in zip(self.ours, around)]

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    def __str__(self):
        ours, bare = (", ".join(f"{rate:.0f}" for rate in rates) for rates in (self.ours, self.bare))
        ratios = ", ".join(f"{ratio:.2f}" for ratio in self.ratios)
        return (
            f"{self.messages} messages, {self.bytes} bytes: ours {ours} B/s, bare {bare} B/s,"
            f" ratios {ratios}, median {self.ratio:.2f}"
        )


@contextlib.contextmanager
def apart(rig):
    """The guest on one processor and what it talks to on another, where there are two: moved about, the emulator runs at
    times half as fast."""
    every = sorted(os.sched_getaffinity(0))
    others = [os.getpid(), rig.peripheral.model.process_id]
    try:
        keep_to(every[:1], rig.guest.process_id)
        keep_to(every[1:2] or every, *others)
        yield
    finally:
        keep_to(every, rig.guest.process_id, *others)


def keep_to(processors, *processes):
    """With all threads that they have."""
    for process in processes:
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
            os.sched_setaffinity(int(thread.name), processors)


async def compare(rig, install, image, endpoint, repeat):
    """The product's rate and that of a bare loop by turns. `repeat` sends what the product sent."""
    ours, bare = [], []
    with apart(rig):
        # The first is there for what it sends.
        for _ in range(ROUNDS + 1):
            rig.peripheral.received.clear()
            await install(rig, image)
            found = chunks(rig, endpoint)
            ours.append(rate(found))
            bare.append(rate(await repeat(rig, [value for value, _ in found])))
    return Comparison(ours[1:], bare, len(found), sum(len(value) for value, _ in found))


async def repeat_exchanges(rig, requests):
    bare = BareUpload(rig, session_of(requests[0]))
    await bare.open()
    repeated = [in_session(request, bare.session) for request in requests]
    rig.peripheral.received.clear()
    reply = await bare.exchange(repeated)
    arrived = chunks(rig)
    expect("writes of the bare loop", [value for value, _ in arrived], repeated)
    last = fields(fields(repeated[-1])[CHUNK])
    expect("what the ears took of them", reply.get(3), last[2] + len(last[3]))
    return arrived


async def repeat_packets(rig, packets):
    """Each as soon as there is credit for it."""
    bare = BareUpload(rig)
    await bare.open()
    rig.peripheral.received.clear()
    await bare.send_credited(packets)
    arrived = await counted(rig, len(packets))
    expect("packets of the bare loop", [value for value, _ in arrived], packets)
    reply = await bare.exchange([STATUS])
    last = fields(packets[-1])
    expect("what the ears took of them", reply.get(3), last[1] + len(last[2]))
    return arrived


async def bare_stream(rig, count=2000, length=512):
    """The rate of packets over AcquireWrite, and how long the sender took to hand them over."""
    async with ContractPeripheral(rig.peripheral) as peripheral:
        succeeded(await rig.guest.run("espurr-bluez-contract 'a connection shows'"))
        await connect(rig, CONTRACT_ADDRESS)
        path = await characteristic(rig, CONTRACT_ADDRESS, str(STREAM).lower())
        start = time.monotonic()
        succeeded(await rig.guest.run(f"espurr-bluez-floor stream {path} {count} {length}", limit=300))
        handed_over = time.monotonic() - start
        await peripheral.until_counted(count)
        expect("out of place", peripheral.misplaced, 0)
        expect("bytes", peripheral.bytes, count * length)
        return rate(peripheral.arrivals), handed_over, peripheral.bytes


async def counted(rig, count, limit=120):
    """The arrivals, once there are so many: the sender is done long before."""
    deadline = time.monotonic() + limit
    while len(found := chunks(rig, "espurr/update-stream")) < count:
        if time.monotonic() > deadline:
            raise CaseFailed(f"{len(found)} of {count} packets arrived")
        await asyncio.sleep(0.1)
    return found
