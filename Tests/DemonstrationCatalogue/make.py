#!/usr/bin/env python3
"""Makes the demonstration catalogue: a TUF repository signed by python-tuf with keys that exist only while this runs.

    pip install -r requirements.txt
    python3 make.py

Writes the metadata to Sources/Simulator/DemonstrationRepository and the first root to
catalogue-keys/demonstration.root.json. There the version stands after the role (`root.2.json` is served as
`metadata/2.root.json`), since the build makes Swift names of the file names. The images are not written: images.py and
the simulator generate them, and the metadata's hashes pin their bytes. Run it only to replace the whole catalogue, root
included: with the private keys gone nothing can be added to the one that is there.
"""

import pathlib
import shutil
from datetime import datetime, timezone

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp

import images

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
METADATA = PACKAGE / "Sources/Simulator/DemonstrationRepository"
TRUSTED_ROOT = PACKAGE / "catalogue-keys/demonstration.root.json"

EXPIRES = datetime(2099, 12, 31, tzinfo=timezone.utc)

# version: channel, time of release, notes
RELEASES = {
    "1.4.0": ("stable", "2026-03-01T12:00:00Z", "Overlay offset for motion, and steadier battery readings."),
    "1.5.0": ("stable", "2026-06-01T12:00:00Z", "Saved palettes, and a confirmed restart after every update."),
    "1.6.0-rc.1": ("candidate", "2026-09-01T12:00:00Z", "Release candidate: background glow and hue cycling."),
}


def targets() -> Targets:
    listed = {}
    for family in images.FAMILIES:
        for version, (channel, released, notes) in RELEASES.items():
            path = f"{family.name}/{version}/espurr-{family.name}-{version}.bin"
            target = TargetFile.from_data(path, images.image(family, version), ["sha256"])
            target.unrecognized_fields["custom"] = {
                "schema": 1,
                "family": family.name,
                "chip": family.chip,
                "version": version,
                "channel": channel,
                "application_protocol": 2,
                "released": released,
                "notes": notes,
            }
            listed[path] = target
    return Targets(expires=EXPIRES, targets=listed)


def write(name: str, metadata: Metadata) -> bytes:
    data = metadata.to_bytes()
    (METADATA / name).write_bytes(data)
    return data


def signed(part, signers) -> Metadata:
    metadata = Metadata(part)
    for signer in signers:
        metadata.sign(signer, append=True)
    return metadata


def main() -> None:
    shutil.rmtree(METADATA, ignore_errors=True)
    METADATA.mkdir(parents=True)
    TRUSTED_ROOT.parent.mkdir(exist_ok=True)

    first, second, third, successor = (CryptoSigner.generate_ed25519() for _ in range(4))
    retired_timestamp, timestamp, snapshot, targets_signer = (CryptoSigner.generate_ed25519() for _ in range(4))

    root = Root(expires=EXPIRES, consistent_snapshot=True)
    for signer in (first, second, third):
        root.add_key(signer.public_key, "root")
    root.roles["root"].threshold = 2
    root.add_key(targets_signer.public_key, "targets")
    root.add_key(snapshot.public_key, "snapshot")
    root.add_key(retired_timestamp.public_key, "timestamp")
    TRUSTED_ROOT.write_bytes(write("root.1.json", signed(root, [first, second])))

    # A rotation, so that every client goes through one: a root key and the timestamp key give way to new ones.
    root.version = 2
    root.revoke_key(third.public_key.keyid, "root")
    root.add_key(successor.public_key, "root")
    root.revoke_key(retired_timestamp.public_key.keyid, "timestamp")
    root.add_key(timestamp.public_key, "timestamp")
    write("root.2.json", signed(root, [first, second, successor]))

    data = write("targets.1.json", signed(targets(), [targets_signer]))
    listing = Snapshot(expires=EXPIRES, meta={"targets.json": MetaFile.from_data(1, data, ["sha256"])})
    data = write("snapshot.1.json", signed(listing, [snapshot]))
    newest = Timestamp(expires=EXPIRES, snapshot_meta=MetaFile.from_data(1, data, ["sha256"]))
    write("timestamp.json", signed(newest, [timestamp]))


if __name__ == "__main__":
    main()
