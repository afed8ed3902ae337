"""The demonstration images: one deterministic function, written here and once more in the simulator.

The catalogue's hashes pin its bytes, so the images themselves need not be kept. An image has the form that ESP-IDF's
documentation of the application image format gives: a 24-byte header, four segments, a checksum and a SHA-256.
"""

import hashlib
import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    name: str
    chip: str
    chip_id: int
    speed_and_size: int  # high nibble: flash size, low nibble: 80 MHz
    entry: int
    load: tuple  # DROM, DRAM, IRAM, base of IROM
    irom_length: int


_ESP32_LOAD = (0x3F400020, 0x3FFB0000, 0x40080000, 0x400D0000)
_S3_LOAD = (0x3C000020, 0x3FC90000, 0x40374000, 0x42000000)

FAMILIES = (
    Family("esp32", "ESP32", 0, 0x2F, 0x40081000, _ESP32_LOAD, 0x7A000),
    Family("s3", "ESP32-S3", 9, 0x3F, 0x40375000, _S3_LOAD, 0xA8000),
    Family("v2-8m", "ESP32-S3", 9, 0x3F, 0x40375000, _S3_LOAD, 0xD0000),
    Family("v2-16m", "ESP32-S3", 9, 0x4F, 0x40375000, _S3_LOAD, 0x120000),
)

_MASK = (1 << 64) - 1
_HEADER_LENGTH = 24
_SEGMENT_HEADER_LENGTH = 8
_DESCRIPTOR_LENGTH = 256
_DROM_LENGTH, _DRAM_LENGTH, _IRAM_LENGTH = 0x20000, 0x3000, 0x10000


def _fnv1a(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & _MASK
    return value


def _fill(family: Family, version: str, segment: int, length: int) -> bytes:
    """SplitMix64, seeded with the FNV-1a of `espurr-<family>/<version>/<segment>`, little endian, cut to length."""
    state = _fnv1a(f"espurr-{family.name}/{version}/{segment}")
    words = []
    for _ in range((length + 7) // 8):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        words.append(mixed ^ (mixed >> 31))
    return struct.pack(f"<{len(words)}Q", *words)[:length]


def _descriptor(family: Family, version: str) -> bytes:
    """`esp_app_desc_t`, 256 bytes."""
    elf = hashlib.sha256(f"espurr-{family.name}/{version}".encode()).digest()
    return struct.pack(
        "<II8x32s32s16s16s32s32sHHBB74x",
        0xABCD5432, 0, version.encode(), f"espurr-{family.name}".encode(), b"12:00:00", b"Jan  1 2026", b"v6.1", elf,
        0, 199, 16, 2,
    )


def image(family: Family, version: str, lengths: tuple | None = None) -> bytes:
    """The demonstration's; with other lengths of the four segments one that is as sound and of another size."""
    drom, dram, iram, irom = lengths or (_DROM_LENGTH, _DRAM_LENGTH, _IRAM_LENGTH, family.irom_length)
    header = struct.pack(
        "<BBBBIB3sHBHH4xB",
        0xE9, 4, 2, family.speed_and_size, family.entry, 0xEE, bytes(3), family.chip_id, 0, 0, 0xFFFF, 1,
    )
    assert len(header) == _HEADER_LENGTH
    drom_fill = _fill(family, version, 0, drom - _DESCRIPTOR_LENGTH)
    data = [
        _descriptor(family, version) + drom_fill,
        _fill(family, version, 1, dram),
        _fill(family, version, 2, iram),
        _fill(family, version, 3, irom),
    ]
    whole = bytearray(header)
    checksum = 0xEF
    for index, segment in enumerate(data):
        load = family.load[index]
        if index == 3:  # mapped by the MMU: address and file offset agree modulo its page
            load += (len(whole) + _SEGMENT_HEADER_LENGTH) % 0x10000
        whole += struct.pack("<II", load, len(segment)) + segment
        for byte in segment:
            checksum ^= byte
    whole += bytes(15 - len(whole) % 16) + bytes([checksum])
    return bytes(whole) + hashlib.sha256(whole).digest()
