"""One guest and one pair of ears, and what the cases ask of them."""

import json
import pathlib
import re
import subprocess
import sys

from guest import Guest
from peripheral import SECOND_ADDRESS, Peripheral

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
CACHE = PACKAGE / ".build/radio"
PROGRAMS = CACHE / "swift/release"
KERNEL_SUITE = "trixie"

sys.path.insert(0, str(PACKAGE / "Tests/DemonstrationCatalogue"))
import images  # noqa: E402


class CaseFailed(AssertionError):
    """What a case expected is not so."""


def expect(name, found, wanted):
    if found != wanted:
        raise CaseFailed(f"{name}: {found!r}, expected {wanted!r}")


class Rig:
    def __init__(self, suite, folder):
        self.suite = suite
        self.folder = pathlib.Path(folder)
        self.console = self.folder / "console"
        self.peripheral = Peripheral(str(PROGRAMS / "espurr-ears-pipe"))
        # Beside the first where a case asks for them.
        self.second = None
        self.guest = Guest(self.folder, CACHE / suite, CACHE / KERNEL_SUITE)

    # --- From nothing to a pair of ears in the air -------------------------------------------------------------------

    async def start(self):
        self.folder.mkdir(parents=True)
        programs = self.folder.parent / "programs"
        (programs / "usr/local/bin").mkdir(parents=True)
        for name in ("espurr-ctl", "espurr-ota", "espurr-bluez-contract", "espurr-bluez-floor"):
            subprocess.run(["strip", "-o", programs / "usr/local/bin" / name, PROGRAMS / name], check=True)
        sockets = self.folder.parent
        await self.peripheral.power_on(sockets / "hci")
        await self.guest.boot(sockets / "hci", sockets / "commands", programs)
        await self.guest.run("i=0; until bluetoothctl show 2>/dev/null | grep -q 'Powered: yes'; do i=$((i+1));"
                             " [ $i -gt 100 ] && exit 1; sleep 0.1; done")  # fmt: skip
        self.bluez = (await self.guest.run("/usr/libexec/bluetooth/bluetoothd --version")).out.strip()
        self.kernel = (await self.guest.run("uname -r")).out.strip()

    async def stop(self):
        await self.guest.off()
        await self.peripheral.vanish()
        if self.second:
            await self.second.vanish()

    async def fresh(self, *faults, forged=False, **behaviour):
        """Ears from the maker, a machine that never saw them. `forged`: the console shows other digits."""
        self.console.write_text("")
        self.peripheral.on_console = lambda line: self._write(line, forged)
        await self.guest.forget(*([SECOND_ADDRESS] if self.second else []))
        if self.second:
            await self.second.vanish()
        await self.guest.run("/bin/busybox killall -q espurr-ctl espurr-ota; rm -rf /run/state /run/cache /run/user/*")
        await self.peripheral.become(*faults, **behaviour)

    def _write(self, line, forged):
        if forged:
            line = re.sub(r"\d{6}$", lambda digits: f"{(int(digits[0]) + 1) % 1_000_000:06}", line)
        with self.console.open("a") as console:
            console.write(line + "\n")

    # --- The product -------------------------------------------------------------------------------------------------

    async def ctl(self, arguments, **limits):
        return await self.guest.run(f"espurr-ctl {arguments}", **limits)

    async def ota(self, arguments, **limits):
        return await self.guest.run(f"espurr-ota {arguments}", **limits)

    async def pair(self, **limits):
        return await self.ctl("pair --json --timeout 20s --passkey-from /host/console", **limits)

    async def paired(self, *faults, **behaviour):
        """Fresh ears, and this machine paired with them by the product."""
        await self.fresh(*faults, **behaviour)
        succeeded(await self.pair())

    async def paired_with_two(self, *faults):
        """Fresh ears, more of them with these faults, and this machine paired with both."""
        await self.paired()
        if not self.second:
            self.second = Peripheral(str(PROGRAMS / "espurr-ears-pipe"), address=SECOND_ADDRESS)
            self.second.power_on_beside(self.peripheral)
        self.console.write_text("")
        self.second.on_console = lambda line: self._write(line, False)
        await self.second.become(*faults)
        flags = f"--device {SECOND_ADDRESS} --json --timeout 20s --passkey-from /host/console"
        succeeded(await self.ctl(f"pair {flags}"))

    def image(self, version, kibibytes=None):
        """A sound image for these ears, as a path in the guest; as long as a real one where no size is given."""
        family = next(f for f in images.FAMILIES if f.name == self.peripheral.family)
        lengths = kibibytes and (0x1000, 0x400, 0x1000, (kibibytes << 10) - 0x2400 - 0x200)
        name = f"{version}-{kibibytes or 'whole'}.bin"
        (self.folder / name).write_bytes(images.image(family, version, lengths))
        return f"/host/{name}"


def succeeded(result):
    if result.status != 0:
        raise CaseFailed(str(result))
    return result


def failed(result, status, *words):
    """Ended with that status, and said so in these words."""
    if result.status != status:
        raise CaseFailed(f"status {result.status}, expected {status}\n{result}")
    text = result.out + result.err
    missing = [word for word in words if word not in text]
    if missing:
        raise CaseFailed(f"does not say {missing}\n{result}")
    return result


def document(result):
    return documents(result)[-1]


def documents(result):
    if not result.out.strip():
        raise CaseFailed(f"no JSON\n{result}")
    return [json.loads(line) for line in result.out.splitlines()]
