"""Every UUID that the commands ask BlueZ for, over a whole run: explicit ones only.

    espurr-sim run --unpaired -- python3 Tests/IndependentClients/asked_uuids.py

Listens on the bus as a monitor (dbus-fast, PyPI) while espurr-ctl and espurr-ota pair, read, set and install, and holds
every call to org.bluez against one rule: a discovery is filtered by the ears' service and by nothing else, and every
service, characteristic and descriptor that is touched belongs to that service. Prints what was asked for, and how often.
"""

import asyncio
import os
import sys

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

SERVICE = "8a47e5b1-2c0d-4f6a-9b3e-71d05c98a6f4"
DEVICE = "org.bluez.Device1"
# Calls that name no UUID and no attribute.
PLAIN = {"GetManagedObjects", "RegisterAgent", "UnregisterAgent", "RemoveDevice", "StartDiscovery", "StopDiscovery",
         "Connect", "Disconnect", "Pair", "CancelPairing"}


async def objects():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    reply = await bus.call(Message(
        destination="org.bluez", path="/", interface="org.freedesktop.DBus.ObjectManager", member="GetManagedObjects"))
    owner = await bus.call(Message(
        destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
        member="GetNameOwner", signature="s", body=["org.bluez"]))
    bus.disconnect()
    return owner.body[0], reply.body[0]


async def monitor(calls):
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

    def take(message):
        if message.message_type is MessageType.METHOD_CALL:
            calls.append(message)
        # A monitor answers nobody.
        return True

    await bus.call(Message(
        destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus.Monitoring",
        member="BecomeMonitor", signature="asu", body=[["type='method_call'"], 0]))
    bus.add_message_handler(take)


def uuid_of(path, tree):
    for interface in ("Service", "Characteristic", "Descriptor"):
        if found := tree.get(path, {}).get(f"org.bluez.Gatt{interface}1"):
            return found["UUID"].value
    return None


def service_of(path, tree):
    parts = path.split("/")
    return uuid_of("/".join(parts[:6]), tree) if len(parts) > 5 else None


async def run(*words):
    process = await asyncio.create_subprocess_exec(*words)
    assert await process.wait() == 0, words


async def main():
    calls = []
    await monitor(calls)
    await run("espurr-ctl", "scan", "--timeout", "1s")
    await run("espurr-ctl", "pair", "--passkey-from", os.environ["ESPURR_SIM_SERIAL"])
    await run("espurr-ctl", "info")
    await run("espurr-ctl", "set", "brightness", "40")
    await run("espurr-ctl", "doctor")
    await run("espurr-ota", "install", "--yes", "--quiet")
    await run("espurr-ota", "status")
    daemon, tree = await objects()
    asked, filtered, discoveries = {}, set(), 0
    for call in calls:
        if call.destination not in ("org.bluez", daemon):
            continue
        if call.member == "SetDiscoveryFilter":
            assert call.body[0]["UUIDs"].value == [SERVICE], call.body
            filtered.add(call.sender)
            asked[SERVICE] = asked.get(SERVICE, 0) + 1
        elif call.member in PLAIN:
            if call.member == "StartDiscovery":
                assert call.sender in filtered, "a discovery without a filter"
                discoveries += 1
        else:
            assert call.member in ("ReadValue", "WriteValue", "Get", "AcquireWrite", "AcquireNotify"), call.member
            uuid = uuid_of(call.path, tree)
            assert uuid, f"{call.member} on an unknown object: {call.path}"
            assert service_of(call.path, tree) == SERVICE, f"{call.member} outside the service: {call.path}"
            asked[uuid] = asked.get(uuid, 0) + 1
    assert discoveries >= 2 and len(asked) > 4, asked
    for uuid, count in sorted(asked.items()):
        print(uuid, count)
    print("uuids", len(asked))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
