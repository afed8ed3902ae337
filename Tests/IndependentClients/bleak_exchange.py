"""An independent client (bleak, PyPI) against the simulated ears: it shares no code with the product.

    espurr-sim run -- python3 Tests/IndependentClients/bleak_exchange.py

Discovers the ears by their service, connects, reads the endpoints' names (descriptor 0x2901) and makes one exchange:
the version document of ESP-IDF's local control. Prints what it saw; fails where anything is otherwise.
"""

import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner

SERVICE = "8a47e5b1-2c0d-4f6a-9b3e-71d05c98a6f4"
USER_DESCRIPTION = "00002901-0000-1000-8000-00805f9b34fb"
VERSION = "esp_local_ctrl/version"
EXPECTED = {VERSION, "esp_local_ctrl/session", "esp_local_ctrl/control"}


async def names_of(client):
    """Characteristics by the name that their descriptor 0x2901 holds."""
    names = {}
    for characteristic in client.services.get_service(SERVICE).characteristics:
        for descriptor in characteristic.descriptors:
            if descriptor.uuid == USER_DESCRIPTION:
                name = bytes(await client.read_gatt_descriptor(descriptor.handle)).decode()
                names[name] = characteristic
    return names


async def main():
    ears = await BleakScanner.find_device_by_filter(
        lambda device, advertisement: SERVICE in advertisement.service_uuids, timeout=10, service_uuids=[SERVICE])
    assert ears is not None, "no ears found"
    print("found", ears.name, ears.address)
    async with BleakClient(ears, timeout=10) as client:
        names = await names_of(client)
        assert EXPECTED <= names.keys(), names
        for name, characteristic in sorted(names.items()):
            print(characteristic.uuid, name, ",".join(characteristic.properties))
        await client.write_gatt_char(names[VERSION], b"ESP", response=True)
        document = json.loads(bytes(await client.read_gatt_char(names[VERSION])))
        assert document["local_ctrl"]["ver"] == "v1.0", document
        assert document["espurr"]["protocol"] == 2, document
        print("version", json.dumps(document, sort_keys=True))
    assert not client.is_connected


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
