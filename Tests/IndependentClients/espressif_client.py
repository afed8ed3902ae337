"""Espressif's own local control client against the simulated ears.

    espurr-sim run -- python3 Tests/IndependentClients/espressif_client.py ESP_IDF [--record FILE]

ESP_IDF is a clone of github.com/espressif/esp-idf (or the folders components/protocomm, components/esp_local_ctrl and
examples/protocols/esp_local_ctrl of one). Theirs: the client's functions (`esp_local_ctrl.py`, `proto_lc.py`), their
messages, their Security 0, and their BLE transport over bleak, which finds the ears by name and the endpoints by their
descriptors. Ours: the order of the steps, batches (their client asks for all at once), and what is expected. Needs bleak,
protobuf and cryptography.

Prints what it saw; ends with 1 where anything is otherwise, with 77 where there is no clone: then nothing ran.
"""

import asyncio
import os
import sys

NAME = "espurr-1A01"
READ_ONLY = 1


def load(idf):
    """Their client, from their folder."""
    scripts = os.path.join(idf, "examples/protocols/esp_local_ctrl/scripts")
    if not os.path.isfile(os.path.join(scripts, "esp_local_ctrl.py")):
        print("not run:", idf, "is no clone of esp-idf with the example esp_local_ctrl", file=sys.stderr)
        sys.exit(77)
    os.environ["IDF_PATH"] = idf
    sys.path.insert(0, scripts)
    import esp_local_ctrl
    import proto_lc
    return esp_local_ctrl, proto_lc


def check(claim, *context):
    if not claim:
        print("DIFFERENT:", *context)
        sys.exit(1)


class Recording:
    """Their transport, and every exchange that went through it."""

    def __init__(self, transport):
        self.transport = transport
        self.lines = []

    async def send_data(self, endpoint, data):
        reply = await self.transport.send_data(endpoint, data)
        self.lines.append("\t".join([endpoint, *(text.encode("latin-1").hex() for text in (data, reply))]))
        return reply


class Session:
    def __init__(self, client, messages, transport):
        self.client, self.messages, self.transport = client, messages, transport
        self.security = client.get_security(0, 0, "", "")

    async def open(self):
        check(await self.client.version_match(self.transport, "v1.0"), "version")
        check(await self.client.get_sec_patch_ver(self.transport) == 0, "patch version of the security")
        check(not await self.client.has_capability(self.transport, "no_pop"), "capability nobody has")
        check(await self.client.establish_session(self.transport, self.security), "session")
        print("version v1.0 and a session of Security 0")

    async def count(self):
        request = self.messages.get_prop_count_request(self.security)
        reply = await self.transport.send_data("esp_local_ctrl/control", request)
        return self.messages.get_prop_count_response(self.security, reply)

    async def values(self, indices):
        request = self.messages.get_prop_vals_request(self.security, indices)
        reply = await self.transport.send_data("esp_local_ctrl/control", request)
        return self.messages.get_prop_vals_response(self.security, reply)

    async def set(self, properties, index, value, **options):
        return await self.client.set_property_values(
            self.transport, self.security, properties, [index], [value], **options)


async def read_all(session, count):
    """As many at once as the reply holds."""
    properties, batch = [], count
    while len(properties) < count:
        indices = list(range(len(properties), min(len(properties) + batch, count)))
        try:
            values = await session.values(indices)
        except Exception as error:  # bleak's own type: the reply is longer than an attribute (ATT 0x0D)
            check(batch > 1, "a property that cannot be read alone", indices, error)
            print(f"{len(indices)} at once are too many")
            batch = (batch + 1) // 2
            continue
        check(len(values) == len(indices), "values", indices)
        properties += values
    return properties


async def set_and_read(session, properties, name, value):
    """Sets a property, and reads until it is in force: the ears apply a change by themselves."""
    index = [known["name"] for known in properties].index(name)
    known = properties[index]
    check(await session.set(properties, index, session.client.encode_prop_value(known, value)), "set", name)
    for _ in range(100):
        read = (await session.values([index]))[0]
        if session.client.decode_prop_value(read, read["value"]) == value:
            print("set", name, value)
            return
        await asyncio.sleep(0.05)
    check(False, "never in force", name, read)


async def converse(session):
    await session.open()
    count = await session.count()
    check(count > 20, "count", count)
    properties = await read_all(session, count)
    for known in properties:
        value = session.client.decode_prop_value(known, known["value"])
        shown = value.hex() if isinstance(value, bytes) else value
        print(f"  {session.client.prop_typestr(known):8} {known['flags']:2} {known['name']} {shown!r}")
    await set_and_read(session, properties, "brightness", 42)
    await set_and_read(session, properties, "name", "cat")
    device = [known["name"] for known in properties].index("device")
    check(properties[device]["flags"] & READ_ONLY, "device is read only")
    check(not await session.set(properties, device, b"x"), "setting what is read only")
    check(not await session.set(properties, device, b"x", check_readonly=True), "their own check")
    check(not await session.set(properties, count, b"x"), "a property that is not there")
    print("read only and a bad index: refused")
    check(await session.count() == count, "the count afterwards")


async def main(idf, record=None):
    client, messages = load(idf)
    transport = await client.get_transport("ble", NAME, True)
    check(transport, "no connection")
    recording = Recording(transport)
    await converse(Session(client, messages, recording))
    await transport.disconnect()
    if record:
        with open(record, "w", encoding="ascii") as file:
            file.write("\n".join(recording.lines) + "\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    asyncio.run(main(words[0] if words else os.environ.get("ESPURR_ESP_IDF", ""), *words[2:3]))
