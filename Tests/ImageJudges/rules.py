"""The rules for an application image, written a second time and independently, in plain Python.

Nothing here is taken from the Swift module: the facts are ESP-IDF's, and the algorithms are those of the standard
library. A file is accepted only when every rule holds; otherwise the first broken one is named.
"""

import hashlib
import struct
import unicodedata
import zlib

ESP32, ESP32_S3 = 0, 9
PAGE = 0x10000
FAMILIES = {
    b"espurr-esp32": ESP32,
    b"espurr-s3": ESP32_S3,
    b"espurr-v2-8m": ESP32_S3,
    b"espurr-v2-16m": ESP32_S3,
}
FLASH = {
    ESP32: [(0x3F400000, 0x3F800000), (0x400D0000, 0x40400000)],
    ESP32_S3: [(0x3C000000, 0x3E000000), (0x42000000, 0x44000000)],
}
RAM = {
    ESP32: [(0x3FF80000, 0x40000000), (0x40070000, 0x400D0000), (0x50000000, 0x50002000)],
    ESP32_S3: [
        (0x3FC80000, 0x3FD00000),
        (0x40370000, 0x403E0000),
        (0x50000000, 0x50002000),
        (0x600FE000, 0x60100000),
    ],
}


class Refused(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def check(data):
    """The image's digest; raises Refused."""
    need(len(data) >= 24 and data[0] == 0xE9, "no image header")
    chip = struct.unpack_from("<H", data, 12)[0]
    need(chip in FLASH, "chip")
    check_header(data)
    segments, end = walk(data)
    check_placement(segments, chip)
    check_descriptor(data, segments, chip)
    end, digest = check_footer(data, segments, end)
    check_tail(data, end)
    return digest


def check_header(data):
    need(data[2] <= 5, "SPI mode")
    need(data[23] == 1, "no appended hash")
    lowest, highest = struct.unpack_from("<HH", data, 15)
    need(highest in (0, 0xFFFF) or lowest <= highest, "revisions")


def walk(data):
    need(1 <= data[1] <= 16, "segment count")
    at, segments = 24, []
    for _ in range(data[1]):
        need(at + 8 <= len(data), "segment header cut off")
        address, length = struct.unpack_from("<II", data, at)
        need(length % 4 == 0, "segment is not words")
        need(length < 16 * 1024 * 1024, "segment too long")
        need(at + 8 + length <= len(data), "segment cut off")
        segments.append((address, length, at + 8))
        at += 8 + length
    return segments, at


def inside(address, length, areas):
    return any(low <= address < high and address + length <= high for low, high in areas)


def check_placement(segments, chip):
    taken = []
    for address, length, offset in segments:
        if address < 0x10000000:
            continue
        if inside(address, 0, FLASH[chip]):
            need(inside(address, length, FLASH[chip]), "leaves the flash window")
            need(address % PAGE == offset % PAGE, "cannot be mapped")
        else:
            need(inside(address, length, RAM[chip]), "no memory there")
        if length:
            need(all(address + length <= low or high <= address for low, high in taken), "overlap")
            taken.append((address, address + length))


def text(field):
    need(b"\0" in field, "text without its NUL")
    raw = field.split(b"\0")[0]
    try:
        words = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("text is not UTF-8") from error
    refused = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    need(not any(unicodedata.category(character) in refused for character in words), "text is not printable")
    return raw


def check_descriptor(data, segments, chip):
    need(data[32:36] == bytes.fromhex("3254cdab"), "no descriptor")
    need(segments[0][1] >= 256, "descriptor leaves its segment")
    text(data[48:80])
    project = text(data[80:112])
    need(FAMILIES.get(project, chip) == chip, "another family's chip")


def check_footer(data, segments, end):
    checksum = 0xEF
    for _, length, offset in segments:
        for byte in data[offset : offset + length]:
            checksum ^= byte
    end += 16 - end % 16
    need(end + 32 <= len(data), "footer cut off")
    need(data[end - 1] == checksum, "checksum")
    digest = hashlib.sha256(data[:end]).digest()
    need(data[end : end + 32] == digest, "hash")
    return end + 32, digest


def erased(data):
    return data.count(0xFF) == len(data)


def check_tail(data, end):
    tail = data[end:]
    if erased(tail):
        return
    if tail[:4] == bytes(4) and len(tail) >= 68 and any(tail[4:36]) and any(tail[36:68]):
        need(erased(tail[80:]), "behind the v1 trailer")
        return
    sector = -(-end // 4096) * 4096
    need(erased(data[end:sector]) and data[sector : sector + 1] == b"\xe7", "foreign tail")
    check_sector(data, sector)


def check_sector(data, sector):
    need(len(data) >= sector + 4096, "sector cut off")
    digest = hashlib.sha256(data[:sector]).digest()
    for start in range(sector, sector + 3 * 1216, 1216):
        block = data[start : start + 1216]
        if erased(block):
            continue
        need(block[0] == 0xE7 and block[1] == 2, "no signature block")
        need(struct.unpack_from("<I", block, 1196)[0] == zlib.crc32(block[:1196]), "signature block's CRC")
        need(block[4:36] == digest, "signature block's digest")
    need(erased(data[sector + 3 * 1216 :]), "behind the signature blocks")
