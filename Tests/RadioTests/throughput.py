"""How fast the product's upload is, against a bare loop of the same writes in compiled code (Tests/BlueZFloor) in the
same guest, counted where they arrive. Nothing here says anything about a radio: there is none."""

import asyncio
import re
import struct
import time

from contract_peripheral import ADDRESS as CONTRACT_ADDRESS
from contract_peripheral import STREAM, ContractPeripheral
from peripheral import ADDRESS
from rig import CaseFailed, expect, succeeded

SERVICE_ID = "8a47ff4f-2c0d-4f6a-9b3e-71d05c98a6f4"  # the update endpoint
STREAM_ID = "8a47ff4d-2c0d-4f6a-9b3e-71d05c98a6f4"  # the stream characteristic
# Shorter messages are no chunks.
SHORTEST_CHUNK = 100
LEAST_RATIO = 0.9
# Of an upload in stream form, which waits for credit, to a loop that waits for nothing.
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
    """Bytes a second, from the first arrival to the last, of (bytes, seconds)."""
    spent = arrivals[-1][1] - arrivals[0][1]
    return sum(length for length, _ in arrivals[1:]) / spent


def chunks(rig, to="espurr/update"):
    """What came to an endpoint and is long: (value, seconds)."""
    return [
        (value, when)
        for endpoint, value, when in rig.peripheral.received
        if endpoint == to and len(value) >= SHORTEST_CHUNK
    ]


async def bare_exchange(rig, values):
    """The rate of a bare loop of these writes, each followed by a read, on ears that refuse them as another session's."""
    (rig.folder / "chunks").write_bytes(b"".join(struct.pack("<H", len(v)) + v for v in values))
    await connect(rig, ADDRESS)
    path = await characteristic(rig, ADDRESS, SERVICE_ID)
    rig.peripheral.received.clear()
    succeeded(await rig.guest.run(f"espurr-bluez-floor exchange {path} /host/chunks", limit=600))
    found = chunks(rig)
    expect("writes of the bare loop", [value for value, _ in found], values)
    return rate([(len(value), when) for value, when in found])


async def compare_exchange(rig, install, image):
    """The product's rate, that of the bare loop after it, and how many chunks of how many bytes."""
    rig.peripheral.received.clear()
    await install(rig, image)
    found = chunks(rig)
    values = [value for value, _ in found]
    ours = rate([(len(value), when) for value, when in found])
    bare = await bare_exchange(rig, values)
    return ours, bare, len(values), sum(map(len, values))


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


async def compare_stream(rig, install, image):
    """The same for the stream form: the bare loop writes as many packets of the same length to the same characteristic,
    which the ears take for nothing, without a look at credit."""
    rig.peripheral.received.clear()
    await install(rig, image)
    found = chunks(rig, "espurr/update-stream")
    ours = rate([(len(value), when) for value, when in found])
    length = max(len(value) for value, _ in found)
    await connect(rig, ADDRESS)
    path = await characteristic(rig, ADDRESS, STREAM_ID)
    rig.peripheral.received.clear()
    succeeded(await rig.guest.run(f"espurr-bluez-floor stream {path} {len(found)} {length}", limit=300))
    bare = await counted(rig, len(found))
    return ours, rate(bare), len(found), length


async def counted(rig, count, limit=120):
    """The arrivals, once there are so many: the sender is done long before."""
    deadline = time.monotonic() + limit
    while len(found := chunks(rig, "espurr/update-stream")) < count:
        if time.monotonic() > deadline:
            raise CaseFailed(f"{len(found)} of {count} packets arrived")
        await asyncio.sleep(0.1)
    return [(len(value), when) for value, when in found]
