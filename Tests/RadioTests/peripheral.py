"""The radio side of the ears: Bumble's host, GATT server and security manager, carrying the bytes of the Swift model.

What is Bumble's: discovery, the ATT bearer, MTU, Secure Connections, keys. What is the model's: which characteristics
there are, every value and every error, whether a pairing is allowed, when it advertises, restarts or drops the link.
"""

import asyncio
import logging
import time

from bumble import att, gatt, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

from attributes import end_long_reads
from controller import HostPipe, Link, VirtualController
from model import Model

log = logging.getLogger("peripheral")

CENTRAL = "00:AA:01:00:00:01"  # public
ADDRESS = "C4:11:22:33:44:55"  # random static: an identity address
SECOND_ADDRESS = "C4:11:22:33:44:77"
LARGEST_MTU = 517


class Digits(PairingDelegate):
    """The ears' side of a pairing: the model allows it, the console shows the digits."""

    def __init__(self, peripheral):
        just_works = "just-works" in peripheral.faults
        capability = PairingDelegate.IoCapability
        super().__init__(
            capability.NO_OUTPUT_NO_INPUT if just_works else capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT
        )
        self.peripheral = peripheral

    async def accept(self):
        return await self.peripheral.pairing_is_allowed()

    async def compare_numbers(self, number, digits):
        return await self.peripheral.compare(f"{number:0{digits}d}")

    async def confirm(self, auto=False):
        return True


class Peripheral:
    """Ears in the air. `answer` says what they do with the digits: yes, no, or hang."""

    def __init__(self, model_program, family="esp32", address=ADDRESS):
        self.address = address
        self.model_program = model_program
        self.family = family
        self.model = None
        self.events = []
        self.on_console = lambda line: None

    # --- Bumble ------------------------------------------------------------------------------------------------------

    async def power_on(self, hci_socket):
        """The virtual adapter that the guest's BlueZ drives, and the ears' own one beside it."""
        link = Link()
        transport = await open_transport(f"unix-server:{hci_socket}")
        self.central = VirtualController(
            "central",
            host_source=transport.source,
            host_sink=transport.sink,
            link=link,
            public_address=hci.Address(CENTRAL, hci.Address.PUBLIC_DEVICE_ADDRESS),
        )
        self.controller = VirtualController(
            "ears", link=link, public_address=hci.Address("00:AA:01:00:00:02", hci.Address.PUBLIC_DEVICE_ADDRESS)
        )

    def power_on_beside(self, other):
        """In the same air: on the same adapter of the guest. A lost link is lost to both."""
        self.central = other.central
        self.controller = VirtualController(
            "more ears",
            link=other.controller.link,
            public_address=hci.Address("00:AA:01:00:00:03", hci.Address.PUBLIC_DEVICE_ADDRESS),
        )

    async def become(self, *faults, click=True, answer="yes"):
        """Other ears from now on: fresh from the maker, with these faults of the model."""
        await self.vanish()
        self.faults, self.click, self.answer = faults, click, answer
        self.console, self.events = [], []
        # (endpoint, value, seconds) of each write.
        self.received = []
        self.keys = {}
        self.connection = self._name = None
        self._comparison = self._advertising = None
        self._advertised = False
        self.device = None
        self.model = await Model.start(self.model_program, self.family, self.address, faults, self._on_event)
        await self._start_host()
        self._advertise_soon()

    async def vanish(self):
        """Out of the air for good."""
        if self.model is None:
            return
        if self._advertising:
            await self._advertising
        await self.model.stop()
        await self.device.stop_advertising()
        self.lose_link()
        await self.device.power_off()
        self.model = None

    async def _start_host(self):
        host = Host()
        HostPipe(self.controller, host)
        configuration = DeviceConfiguration(
            name="ears", address=hci.Address(self.address, hci.Address.RANDOM_DEVICE_ADDRESS)
        )
        # Told apart by it: it ends as the address does.
        configuration.irk = bytes(range(15)) + bytes.fromhex(self.address[-2:])
        self.device = Device(config=configuration, host=host)
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            sc=True,
            mitm="just-works" not in self.faults,
            bonding=True,
            delegate=Digits(self),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        self.device.add_service(self._service())
        self.device.on("connection", self._on_connection)
        end_long_reads(self.device.gatt_server)
        await self.device.power_on()
        self.device.keystore = self.keystore = MemoryKeyStore()
        self.device.gatt_server.max_mtu = min(self.model.description["mtu"], LARGEST_MTU)

    def _service(self):
        return gatt.Service(
            UUID(self.model.description["service"]),
            [
                self._stream(c["uuid"], c["name"]) if c["stream"] else self._characteristic(c["uuid"], c["name"])
                for c in self.model.description["characteristics"]
            ],
        )

    def _characteristic(self, uuid, endpoint):
        # Access is judged by the model, with the model's error.
        properties, permissions = gatt.Characteristic.Properties, att.Attribute.Permissions

        async def read(connection):
            return bytes.fromhex(await self._exchange("read", endpoint=endpoint) or "")

        async def write(connection, value):
            self.received.append((endpoint, bytes(value), time.monotonic()))
            await self._exchange("write", endpoint=endpoint, value=value.hex())

        return gatt.Characteristic(
            UUID(uuid),
            properties.READ | properties.WRITE,
            permissions.READABLE | permissions.WRITEABLE,
            gatt.CharacteristicValue(read=read, write=write),
            [self._endpoint_name(endpoint)],
        )

    def _endpoint_name(self, endpoint):
        return gatt.Descriptor(
            gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, att.Attribute.Permissions.READABLE, endpoint.encode()
        )

    def _stream(self, uuid, endpoint):
        """Written without response, in the order of arrival; what the model notifies goes out as it comes."""
        properties = gatt.Characteristic.Properties

        async def write(connection, value):
            self.received.append((endpoint, bytes(value), time.monotonic()))
            await self.model.ask("command", endpoint=endpoint, value=value.hex())

        stream = gatt.Characteristic(
            UUID(uuid),
            properties.WRITE_WITHOUT_RESPONSE | properties.NOTIFY,
            att.Attribute.Permissions.WRITEABLE,
            gatt.CharacteristicValue(write=write),
            [self._endpoint_name(endpoint)],
        )
        stream.on("subscription", lambda connection, notify, indicate: self._later(self.model.ask("subscribe", on=notify)))
        self.stream = stream
        return stream

    async def _exchange(self, action, **members):
        answer = await self.model.ask(action, **members)
        failure = answer.get("failure")
        if failure == "attribute":
            raise att.ATT_Error(answer["attribute_error"])
        if failure:
            self._event("unanswered", failure=failure)
            await asyncio.get_running_loop().create_future()
        return answer.get("value")

    # --- The link ----------------------------------------------------------------------------------------------------

    def _on_connection(self, connection):
        self.connection = connection
        self._event("connected")
        connection.on("disconnection", self._on_disconnection)
        connection.on("connection_encryption_change", self._on_encryption)
        connection.on("connection_att_mtu_update", lambda: self._event("mtu", mtu=connection.att_mtu))
        connection.on("pairing", self._on_pairing)
        connection.on("pairing_failure", self._on_pairing_failure)
        self._later(self.model.ask("connect", peer=CENTRAL))

    def _on_disconnection(self, reason):
        self._event("disconnected", reason=int(reason))
        self.connection = None
        self._settle_comparison(False)
        if self.model:
            self._later(self.model.ask("disconnect"))

    def _on_encryption(self):
        self._event("encryption")
        if self._comparison is None and CENTRAL in self.keys:
            self._later(self.model.ask("encrypt", key=self.keys[CENTRAL]))

    def lose_link(self):
        """Both sides see a supervision timeout."""
        self.central.lose_links()
        self.controller.lose_links()

    async def forget_bond(self):
        await self.keystore.delete_all()
        self._event("bond forgotten")

    # --- Pairing -----------------------------------------------------------------------------------------------------

    async def pairing_is_allowed(self):
        """Asks the model, which waits for a click of the button where there was none."""
        self._event("pairing requested")
        self._comparison = asyncio.get_running_loop().create_future()
        await self.model.ask("request-pairing")
        return await self._comparison

    async def compare(self, digits):
        self._event("comparing", digits=digits)
        self._print(f"passkey {digits}")
        if self.answer == "hang":
            await asyncio.get_running_loop().create_future()
        return self.answer == "yes"

    def _settle_comparison(self, is_allowed):
        if self._comparison and not self._comparison.done():
            self._comparison.set_result(is_allowed)

    def _on_pairing(self, keys):
        authenticated = bool(keys.ltk and keys.ltk.authenticated)
        self._event("paired", authenticated=authenticated)
        self._comparison = None
        if "just-works" not in self.faults:
            self._later(self.model.ask("confirm", equal=True))

    def _on_pairing_failure(self, reason):
        self._event("pairing failed", reason=str(reason))
        self._comparison = None
        self._later(self.model.ask("confirm", equal=False))

    async def switch_off(self):
        await self.model.ask("power-off")

    async def click_button(self):
        await self.model.ask("click")

    # --- The model's events ------------------------------------------------------------------------------------------

    def _on_event(self, message):
        kind = message["event"]
        if kind == "serial line":
            # Its own digits are not those of this link.
            if not message["line"].startswith("passkey "):
                self._print(message["line"])
        elif kind == "advertisement":
            self._name = message.get("name")
            self._advertise_soon()
        elif kind == "link dropped":
            self._event("dropped by the ears")
            self.lose_link()
        elif kind == "click needed":
            self._event(kind)
            if self.click:
                self._later(self.click_button())
        elif kind == "comparison":
            self._settle_comparison(True)
        elif kind == "bonded":
            self.keys[CENTRAL] = message["key"]
            self._settle_comparison(True)
        elif kind == "notification":
            self._later(self.device.notify_subscribers(self.stream, bytes.fromhex(message["value"])))
        elif kind == "pairing failed":
            self._settle_comparison(False)

    def _advertise_soon(self):
        """In order: each change waits for the one before."""
        if self.device:
            self._advertising = asyncio.create_task(self._advertise(self._advertising))

    async def _advertise(self, before):
        if before:
            await before
        if self._advertised:
            await self.device.stop_advertising()
            self._advertised = False
        if self._name is None:
            return
        data = AdvertisingData
        service = (data.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(self.model.description["service"])))
        scan_response = bytes(data([(data.COMPLETE_LOCAL_NAME, self._name.encode())]))
        address = hci.Address(self.address, hci.Address.RANDOM_DEVICE_ADDRESS)
        self.central.scan_responses[address] = scan_response
        self._advertised = True
        await self.device.start_advertising(
            advertising_data=bytes(data([(data.FLAGS, bytes([6])), service])),
            scan_response_data=scan_response,
            advertising_interval_min=100,
            advertising_interval_max=100,
        )

    # --- What can be seen --------------------------------------------------------------------------------------------

    def _print(self, line):
        self.console.append(line)
        self.on_console(line)
        log.info("console: %s", line)

    def _event(self, kind, **members):
        self.events.append({"event": kind, **members})
        log.info("%s %s", kind, members or "")

    def saw(self, kind):
        return [event for event in self.events if event["event"] == kind]

    async def until(self, kind, limit=30):
        """Waits until that was seen."""
        deadline = time.monotonic() + limit
        while not self.saw(kind):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the ears did not see “{kind}”")
            await asyncio.sleep(0.05)

    def _later(self, coroutine):
        task = asyncio.create_task(coroutine)
        self._tasks = {t for t in getattr(self, "_tasks", set()) if not t.done()} | {task}
