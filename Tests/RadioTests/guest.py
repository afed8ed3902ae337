"""The machine that the product runs on: Debian's kernel and bluetoothd in qemu, emulated, with commands run inside."""

import asyncio
import itertools
import pathlib
import re
import subprocess
from dataclasses import dataclass

BOOT_LIMIT = 180
COMMAND_LIMIT = 120
OFF_LIMIT = 20
DEVICE = "/org/bluez/hci0/dev_C4_11_22_33_44_55"


class GuestEnded(Exception):
    """qemu ended, or the guest never came up."""


@dataclass(frozen=True)
class Result:
    command: str
    # Nothing where the command was given up.
    status: int | None
    out: str
    err: str

    def __str__(self):
        return f"$ {self.command}\n{self.out}{self.err}[status {self.status}]"


class Guest:
    """`folder` is /host inside."""

    def __init__(self, folder, suite_folder, kernel_folder):
        self.folder = pathlib.Path(folder)
        self.out = self.folder / "out"
        self.suite_folder, self.kernel_folder = suite_folder, kernel_folder
        self._ids = itertools.count(1)
        self._ended = {}
        self._writer = self._gone = None
        self.transcript = []

    async def boot(self, hci_socket, commands_socket, programs):
        """With the programs, a folder, on its path."""
        self.out.mkdir(exist_ok=True)
        self._pack(programs)
        ready = self._ready = asyncio.get_running_loop().create_future()
        await asyncio.start_unix_server(self._serve, commands_socket)
        self._qemu = await asyncio.create_subprocess_exec(
            *self._command_line(hci_socket, commands_socket),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=(self.out / "qemu.log").open("wb"),
        )
        self._gone = asyncio.create_task(self._qemu.wait())
        if not await self._comes(ready, BOOT_LIMIT):
            raise GuestEnded("the guest did not come up: see console.log")

    def _pack(self, programs):
        """Behind the suite's own archive: from the shared folder programs of this size take seconds to start."""
        names = "".join(f"{path.relative_to(programs)}\n" for path in sorted(programs.rglob("*")))
        archive = subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"], input=names.encode(), cwd=programs, stdout=subprocess.PIPE, check=True
        ).stdout
        self._initramfs = programs.parent / "initramfs.cpio"
        self._initramfs.write_bytes((self.suite_folder / "initramfs.cpio").read_bytes() + archive)

    def _command_line(self, hci_socket, commands_socket):
        # One processor: two emulated ones wait for each other, and a busy host makes that most of what they do.
        append = (
            "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable random.trust_cpu=on cryptomgr.notests"
            # On a busy host the emulated timer comes too late for the check, and the kernel stops for good.
            " no_timer_check"
        )
        return [
            "qemu-system-x86_64", "-accel", "tcg", "-cpu", "max,la57=off", "-smp", "1", "-m", "1024",
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-kernel", f"{self.kernel_folder}/vmlinux",
            "-initrd", str(self._initramfs),
            "-append", append,
            "-serial", f"file:{self.out}/console.log",
            "-fsdev", f"local,id=host,path={self.folder},security_model=none,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=host,mount_tag=host",
            "-device", "virtio-rng-pci",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=hci,path={hci_socket}", "-device", "virtconsole,chardev=hci",
            "-chardev", f"socket,id=commands,path={commands_socket}",
            "-device", "virtserialport,chardev=commands,name=commands",
        ]  # fmt: skip

    async def _serve(self, reader, writer):
        self._writer = writer
        while line := await reader.readline():
            words = line.decode().split()
            if words == ["ready"]:
                self._ready.set_result(None)
            elif len(words) == 2 and words[0] in self._ended:
                self._ended.pop(words[0]).set_result(int(words[1]))

    def start(self, command):
        """Runs a line of sh; the task's result is a `Result`."""
        return asyncio.create_task(self.run(command))

    async def run(self, command, limit=COMMAND_LIMIT):
        name = f"c{next(self._ids)}"
        ended = self._ended[name] = asyncio.get_running_loop().create_future()
        self._writer.write(f"{name} {command}\n".encode())
        status = ended.result() if await self._comes(ended, limit) else None
        out, err = ((self.out / f"{name}.{kind}").read_text(errors="replace") for kind in ("out", "err"))
        result = Result(command, status, out, err)
        self.transcript.append(result)
        return result

    async def _comes(self, future, limit):
        """Whether it does in time."""
        await asyncio.wait([future, self._gone], timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if not future.done() and self._gone.done():
            raise GuestEnded("the guest is gone: see console.log")
        return future.done()

    @property
    def process_id(self):
        return self._qemu.pid

    async def off(self):
        if self._writer:
            self._writer.write(b"off\n")
            await asyncio.wait([self._gone], timeout=OFF_LIMIT)
        if self._gone and not self._gone.done():
            self._qemu.kill()
            await self._gone

    # --- What BlueZ says, asked without the product ------------------------------------------------------------------

    async def properties(self):
        """Of the ears' Device1, those that are true; nothing where BlueZ does not know the ears."""
        result = await self.run(
            f"dbus-send --system --print-reply --dest=org.bluez {DEVICE}"
            " org.freedesktop.DBus.Properties.GetAll string:org.bluez.Device1"
        )
        entries = re.findall(r'string "(\w+)"\s+variant\s+boolean true', result.out)
        return set(entries) & {"Paired", "Bonded", "Connected"}

    async def forget(self, *others):
        """The ears, and others by their addresses."""
        for path in (DEVICE, *(f"/org/bluez/hci0/dev_{address.replace(':', '_')}" for address in others)):
            await self.run(
                "dbus-send --system --print-reply --dest=org.bluez /org/bluez/hci0 org.bluez.Adapter1.RemoveDevice"
                f" objpath:{path}"
            )
