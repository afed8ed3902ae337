"""The peripheral of the contract (Tests/BlueZContract) on Bumble: what it does is asked for over its own control
characteristic, so that the contract's cases run unchanged against the simulated org.bluez, which has the same one.

control  read, write          scripts the others; its value are the counters
value    read, write          gives what was written last
guarded  read, write          the same, for a link with a bond only
stream   write command, notify
"""

import asyncio
import logging
import struct
import time

from bumble import att, gatt, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from attributes import end_long_reads
from controller import HostPipe

log = logging.getLogger("contract")

ADDRESS = "C4:11:22:33:44:66"  # random static: an identity address
NAME = "contract"
SERVICE, CONTROL, VALUE, GUARDED, STREAM = (
    UUID(f"7d5a0{number:03x}-4d1c-4b5e-9d0a-3c6b1f0e2a90") for number in (0x100, 0x101, 0x102, 0x103, 0x104)
)
MTU = 517
# Seconds.
NOTIFICATION_INTERVAL = 0.005

# The first byte of what is written to control.
REFUSE, KEEP_SILENT, DROP_LINK, PAIR_SO, NOTIFY, FORGET_BOND, RESET = range(1, 8)
# The second byte of PAIR_SO.
COMPARE, DENY_DIGITS, NEVER_CONFIRM, REFUSE_PAIRING, JUST_WORKS, LOSE_LINK = range(6)


class Manner(PairingDelegate):
    def __init__(self, peripheral):
        capability = PairingDelegate.IoCapability
        super().__init__(
            capability.NO_OUTPUT_NO_INPUT
            if peripheral.manner == JUST_WORKS
            else capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT
        )
        self.peripheral = peripheral

    async def accept(self):
        log.info("pairing requested")
        self.peripheral.has_paired = True
        return self.peripheral.manner != REFUSE_PAIRING

    async def compare_numbers(self, number, digits):
        self.peripheral.passkey = number
        log.info("shows %06d", number)
        if self.peripheral.manner == LOSE_LINK:
            self.peripheral.drop_soon()
        if self.peripheral.manner in (NEVER_CONFIRM, LOSE_LINK):
            await asyncio.get_running_loop().create_future()
        return self.peripheral.manner != DENY_DIGITS

    async def confirm(self, auto=False):
        return True


class ContractPeripheral:
    """In the air in place of the ears, on their controller, while the `async with` lasts."""

    def __init__(self, radio):
        self.radio = radio
        self.manner = COMPARE
        self.has_paired = False
        self.passkey = 0
        self.value = self.guarded_value = b""
        self.connection = None
        self._tasks = set()
        self._forget_script()

    def _forget_script(self):
        self.refusal = None
        self.is_silent = False
        self.packets = self.bytes = self.longest = self.misplaced = 0
        # (bytes, seconds) of each packet.
        self.arrivals = []

    async def __aenter__(self):
        await self.radio.vanish()
        host = Host()
        HostPipe(self.radio.controller, host)
        configuration = DeviceConfiguration(
            name=NAME, address=hci.Address(ADDRESS, hci.Address.RANDOM_DEVICE_ADDRESS)
        )
        configuration.irk = bytes(range(16))
        self.device = Device(config=configuration, host=host)
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            sc=True,
            mitm=self.manner != JUST_WORKS,
            bonding=True,
            delegate=Manner(self),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        self.device.add_service(self._service())
        self.device.on("connection", self._on_connection)
        end_long_reads(self.device.gatt_server)
        await self.device.power_on()
        self.device.keystore = self.keystore = MemoryKeyStore()
        self.device.gatt_server.max_mtu = MTU
        await self._advertise()
        return self

    async def __aexit__(self, *_):
        await self.device.stop_advertising()
        self.radio.lose_link()
        await self.device.power_off()

    async def _advertise(self):
        data = AdvertisingData
        service = (data.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE))
        scan_response = bytes(data([(data.COMPLETE_LOCAL_NAME, NAME.encode())]))
        self.radio.central.scan_response = scan_response
        await self.device.start_advertising(
            auto_restart=True,
            advertising_data=bytes(data([(data.FLAGS, bytes([6])), service])),
            scan_response_data=scan_response,
            advertising_interval_min=100,
            advertising_interval_max=100,
        )

    # --- What it has -------------------------------------------------------------------------------------------------

    def _service(self):
        properties, permissions = gatt.Characteristic.Properties, att.Attribute.Permissions
        both = permissions.READABLE | permissions.WRITEABLE
        name = gatt.Descriptor(
            gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, permissions.READABLE, b"contract/value"
        )
        exchanges = properties.READ | properties.WRITE

        def value(read, write):
            return gatt.CharacteristicValue(read=read, write=write)

        self.stream = gatt.Characteristic(
            STREAM, properties.WRITE_WITHOUT_RESPONSE | properties.NOTIFY, permissions.WRITEABLE,
            value(None, self._take_packet),
        )  # fmt: skip
        return gatt.Service(
            SERVICE,
            [
                gatt.Characteristic(CONTROL, exchanges, both, value(self._counters, self._control)),
                gatt.Characteristic(VALUE, exchanges, both, value(self._read, self._write), [name]),
                gatt.Characteristic(GUARDED, exchanges, both, value(self._read_guarded, self._write_guarded)),
                self.stream,
            ],
        )

    def _counters(self, connection):
        return struct.pack(
            "<IIHHI", self.packets, self.bytes, self.longest, self.misplaced, self.passkey
        )

    async def _scripted(self):
        """What was asked for of the next request to the value, once."""
        refusal, self.refusal = self.refusal, None
        is_silent, self.is_silent = self.is_silent, False
        if is_silent:
            await asyncio.get_running_loop().create_future()
        if refusal is not None:
            raise att.ATT_Error(refusal)

    async def _read(self, connection):
        await self._scripted()
        return self.value

    async def _write(self, connection, value):
        await self._scripted()
        self.value = bytes(value)

    def _guard(self, connection):
        if not connection.is_encrypted or not connection.authenticated:
            raise att.ATT_Error(att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)

    async def _read_guarded(self, connection):
        self._guard(connection)
        return self.guarded_value

    async def _write_guarded(self, connection, value):
        self._guard(connection)
        self.guarded_value = bytes(value)

    def _take_packet(self, connection, value):
        # Each begins with its place, from 0.
        if len(value) >= 4 and struct.unpack("<I", value[:4])[0] != self.packets:
            self.misplaced = min(self.misplaced + 1, 0xFFFF)
        self.packets += 1
        self.arrivals.append((bytes(value), time.monotonic()))
        self.bytes += len(value)
        self.longest = max(self.longest, len(value))

    async def until_counted(self, packets, limit=120):
        deadline = time.monotonic() + limit
        while self.packets < packets:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.packets} packets came, expected {packets}")
            await asyncio.sleep(0.05)

    # --- What it is told ---------------------------------------------------------------------------------------------

    async def _control(self, connection, value):
        action, arguments = value[0], value[1:]
        log.info("told %s %s", action, arguments.hex())
        if action == REFUSE:
            self.refusal = arguments[0]
        elif action == KEEP_SILENT:
            self.is_silent = True
        elif action == DROP_LINK:
            self._later(self._drop(*struct.unpack("<H", arguments)))
        elif action == PAIR_SO:
            self.manner = arguments[0]
        elif action == NOTIFY:
            self._later(self._notify(*struct.unpack("<HH", arguments)))
        elif action == FORGET_BOND:
            await self.keystore.delete_all()
        elif action == RESET:
            self.manner = COMPARE
            self._forget_script()

    def drop_soon(self):
        self._later(self._drop(500))

    async def _drop(self, milliseconds):
        await asyncio.sleep(milliseconds / 1000)
        self.radio.lose_link()

    async def _notify(self, count, length):
        for number in range(count):
            if self.connection is None:
                return
            value = struct.pack("<I", number).ljust(length, b"\0")[:length]
            await self.device.notify_subscriber(self.connection, self.stream, value)
            # BlueZ drops what its socket does not hold, in silence, and an emulated client is slow to fetch.
            await asyncio.sleep(NOTIFICATION_INTERVAL)

    def _on_connection(self, connection):
        self.connection = connection
        connection.on("disconnection", self._on_disconnection)

    def _on_disconnection(self, reason):
        self.connection = None
        # A client that is to pair may make a new link for it.
        if self.has_paired:
            self.manner = COMPARE
        self.has_paired = False
        self._forget_script()

    def _later(self, coroutine):
        self._tasks = {task for task in self._tasks if not task.done()} | {asyncio.create_task(coroutine)}
