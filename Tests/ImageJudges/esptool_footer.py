"""Espressif's own reader judges checksum and appended hash: `esptool image-info` as a library.

It exits 0 on a bad checksum or hash and only prints "invalid", hence not by its exit status.
"""

import struct

from esptool.bin_image import LoadFirmwareImage

CHIPS = {0: "esp32", 9: "esp32s3"}


def check(data):
    """(checksum valid, hash valid, stored digest in hex), or None where esptool cannot read the file."""
    if len(data) < 24 or struct.unpack_from("<H", data, 12)[0] not in CHIPS:
        return None
    chip = CHIPS[struct.unpack_from("<H", data, 12)[0]]
    try:
        image = LoadFirmwareImage(chip, data)
        checksum_valid = image.calculate_checksum() == image.checksum
        if not image.append_digest:
            return checksum_valid, None, None
        return checksum_valid, image.stored_digest == image.calc_digest, bytes(image.stored_digest).hex()
    except Exception:  # esptool has no one error for files that it cannot read
        return None
