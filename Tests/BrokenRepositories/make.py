#!/usr/bin/env python3
"""Makes repositories.json beside this file: repositories made by python-tuf, each broken in one way and signed again.
And releases.json: a sound one in the form that tuf-on-ci gives it, a family with a role of its own.

usage: make.py [FOLDER]      needs: tests' requirements.txt (tuf, securesystemslib)

A case holds the files of a mirror (metadata by name, targets by the name they are served under), the root that is
trusted at first, and the target that is asked for. What the client has to say about each stands in
CatalogueTests/BrokenRepositoryTests.swift, with the time at which it is asked. Keys are derived from fixed seeds
(test keys: never use them) and ed25519 signatures have no chance in them, so two runs give the same bytes.
"""
import hashlib, json, os, sys
from datetime import datetime, timezone

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.formats import encode_canonical
from securesystemslib.signer import CryptoSigner, SSlibKey
from tuf.api.metadata import (
    DelegatedRole, Delegations, Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp,
)
from tuf.api.serialization.json import JSONSerializer

EXPIRES = datetime(2031, 1, 1, tzinfo=timezone.utc)
PRETTY = JSONSerializer(compact=False)
TARGET, IMAGE = "family/1.0.0/öhrchen 1?.bin", b"an image of espurr ears"


def signer(name):
    seed = hashlib.sha256(b"espurr broken repositories " + name.encode()).digest()
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return CryptoSigner(private, SSlibKey.from_crypto(private.public_key()))


KEYS = {name: signer(name) for name in ("root-1", "root-2", "targets", "snapshot", "timestamp", "v2-8m")}


def key_id(name):
    return KEYS[name].public_key.keyid


def raw_signature(name, message):
    seed = hashlib.sha256(b"espurr broken repositories " + name.encode()).digest()
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message).hex()


def written(part, *names, message=None):
    message = message if message is not None else encode_canonical(part).encode()
    signatures = [{"keyid": key_id(name), "sig": raw_signature(name, message)} for name in names]
    return json.dumps({"signatures": signatures, "signed": part}, indent=1, ensure_ascii=False)


def served_name(path, data):
    folder, _, name = path.rpartition("/")
    return f"{folder}/{hashlib.sha256(data).hexdigest()}.{name}"


class Repository:
    """A sound repository by python-tuf; `write` puts the parts together again after a change."""

    def __init__(self):
        root = Root(version=1, expires=EXPIRES, consistent_snapshot=True)
        for name in ("root-1", "root-2"):
            root.add_key(KEYS[name].public_key, "root")
        root.roles["root"].threshold = 2
        for role in ("targets", "snapshot", "timestamp"):
            root.add_key(KEYS[role].public_key, role)
        targets = Targets(version=1, expires=EXPIRES)
        target = TargetFile.from_data(TARGET, IMAGE, ["sha256"])
        target.unrecognized_fields["custom"] = {"notes": "Ohren für Kätzchen – “ä” \n\t\"\\", "count": -1}
        targets.targets[TARGET] = target
        self.root, self.targets = root.to_dict(), targets.to_dict()
        # python-tuf keeps the roles in a set: sorted, two runs agree.
        self.root["roles"] = dict(sorted(self.root["roles"].items()))
        self.snapshot = Snapshot(version=1, expires=EXPIRES).to_dict()
        self.timestamp = Timestamp(version=1, expires=EXPIRES).to_dict()
        self.version = 1
        self.rotations = []
        self.target_files = {served_name(TARGET, IMAGE): IMAGE.decode()}
        self.wanted = TARGET
        # What has to be as it is, whatever the parts say.
        self.overrides = {}
        self.snapshot_key = "snapshot"
        # Delegated roles by name; each has a key of that name.
        self.delegated = {}
        # Names of the timestamp's signatures where they are not the one of its key.
        self.timestamp_signatures = None
        # Changes of the finished timestamp's text, which its signature does not cover.
        self.change_timestamp = lambda text: text

    def raise_version(self, version):
        """Of everything but the root."""
        self.version = version
        for part in (self.targets, self.snapshot, self.timestamp):
            part["version"] = version

    def write(self):
        files = {}
        trusted = written(self.root, "root-1", "root-2")
        for root in self.rotations:
            files[f"{root['version']}.root.json"] = written(root, "root-1", "root-2")
        prefix = f"{self.version}." if (self.rotations or [self.root])[-1].get("consistent_snapshot") else ""

        def put(name, text):
            files[name] = self.overrides.get(name, text)
            data = files[name].encode()
            return {"version": self.version, "length": len(data), "hashes": {"sha256": hashlib.sha256(data).hexdigest()}}

        meta = put(prefix + "targets.json", written(self.targets, "targets"))
        self.snapshot["meta"] = {"targets.json": meta}
        for name, part in self.delegated.items():
            self.snapshot["meta"][f"{name}.json"] = put(f"{prefix}{name}.json", written(part, name))
        meta = put(prefix + "snapshot.json", written(self.snapshot, self.snapshot_key))
        self.timestamp["meta"] = {"snapshot.json": meta}
        put("timestamp.json", self.change_timestamp(self.written_timestamp()))
        return {"trusted_root": trusted, "metadata": files, "targets": self.target_files, "target": self.wanted}


    def written_timestamp(self):
        if self.timestamp_signatures is None:
            return written(self.timestamp, "timestamp")
        signature = raw_signature("timestamp", encode_canonical(self.timestamp).encode())
        both = [{"keyid": name, "sig": signature} for name in self.timestamp_signatures]
        return json.dumps({"signatures": both, "signed": self.timestamp}, indent=1, ensure_ascii=False)


def in_signed(old, new):
    """Replaces text in the signed part, which comes after the signatures."""

    def change(text):
        at = text.index(old, text.index('"signed"'))
        return text[:at] + new + text[at + len(old):]

    return change


CASES = {}


def case(make):
    CASES[make.__name__.replace("_", " ")] = make


@case
def intact(r):
    pass


@case
def six_rotations(r):
    r.rotations = [{**r.root, "version": 2 + n} for n in range(6)]


@case
def no_consistent_snapshot(r):
    r.root["consistent_snapshot"] = False
    r.target_files = {TARGET: IMAGE.decode()}


@case
def timestamp_beyond_its_limit(r):
    r.overrides["timestamp.json"] = " " * 16_385


@case
def target_longer_than_listed(r):
    r.targets["targets"][TARGET]["length"] -= 1


@case
def target_shorter_than_listed(r):
    r.targets["targets"][TARGET]["length"] += 1


@case
def another_file_in_the_place_of_the_target(r):
    r.target_files[served_name(TARGET, IMAGE)] = "an image of other ears."


@case
def specification_2(r):
    r.timestamp["spec_version"] = "2.0.0"


@case
def specification_without_a_minor_version(r):
    r.targets["spec_version"] = "1"


@case
def non_ascii_signed_as_escapes(r):
    # What a signer of ordinary JSON does: other bytes than the canonical ones.
    message = json.dumps(r.targets, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    r.overrides["1.targets.json"] = written(r.targets, "targets", message=message)


def with_two_names_for_one_key(part, role):
    part["keys"]["another-name"] = part["keys"][key_id(role)]
    part["roles"][role] = {"keyids": [key_id(role), "another-name"], "threshold": 2}


@case
def one_key_under_two_identifiers(r):
    with_two_names_for_one_key(r.root, "timestamp")
    r.timestamp_signatures = [key_id("timestamp"), "another-name"]


@case
def one_identifier_twice_in_the_signatures(r):
    r.timestamp_signatures = [key_id("timestamp")] * 2


@case
def duplicate_name(r):
    r.change_timestamp = in_signed('"version": 1,', '"version": 1, "version": 1,')


@case
def duplicate_name_written_with_an_escape(r):
    r.change_timestamp = in_signed('"version": 1,', '"version": 1, "versio\\u006e": 1,')


@case
def names_equal_only_as_unicode(r):
    entry = r.targets["targets"][TARGET]
    r.targets["targets"]["family/1.0.0/o\u0308hrchen 1?.bin"] = {**entry, "length": 1}


@case
def nested_too_deep(r):
    value = 0
    for _ in range(100):
        value = [value]
    r.targets["targets"][TARGET]["custom"] = value


@case
def version_out_of_range(r):
    r.timestamp["version"] = 2**63


@case
def version_zero(r):
    r.timestamp["version"] = 0


@case
def version_as_text(r):
    r.timestamp["version"] = "1"


@case
def version_with_a_fraction(r):
    r.change_timestamp = in_signed('"version": 1,', '"version": 1.0,')


@case
def version_with_an_exponent(r):
    r.change_timestamp = in_signed('"version": 1,', '"version": 1e0,')


@case
def length_below_zero(r):
    r.targets["targets"][TARGET]["length"] = -1


@case
def the_thirtieth_of_february(r):
    r.timestamp["expires"] = "2031-02-30T00:00:00Z"


@case
def a_leap_second(r):
    r.timestamp["expires"] = "2030-12-31T23:59:60Z"


@case
def a_date_with_an_offset(r):
    r.timestamp["expires"] = "2031-01-01T00:00:00+00:00"


@case
def a_date_with_short_fields(r):
    r.timestamp["expires"] = "2031-1-1T0:0:0Z"


@case
def a_byte_order_mark(r):
    r.change_timestamp = lambda text: "\ufeff" + text


@case
def more_after_the_end(r):
    r.change_timestamp = lambda text: text + "{}"


@case
def a_lone_surrogate(r):
    r.change_timestamp = in_signed('"version": 1,', '"version": 1, "x": "\\ud800",')


@case
def a_comma_too_many(r):
    r.change_timestamp = in_signed('"version": 1,', '"version": 1, "x": [1,],')


@case
def threshold_zero(r):
    r.rotations = [{**r.root, "version": 2, "roles": {**r.root["roles"]}}]
    r.rotations[0]["roles"]["timestamp"] = {**r.root["roles"]["timestamp"], "threshold": 0}


@case
def snapshot_signed_with_the_key_of_the_timestamp(r):
    r.snapshot_key = "timestamp"


@case
def a_page_of_html(r):
    r.overrides["timestamp.json"] = "<!DOCTYPE html><html><body>Please log in.</body></html>"


@case
def a_path_that_leads_out(r):
    r.targets["targets"]["../outside.bin"] = r.targets["targets"].pop(TARGET)
    r.wanted = "../outside.bin"


@case
def an_unknown_hash(r):
    r.targets["targets"][TARGET]["hashes"] = {"blake2b-256": "00" * 32}


def release(family, version, custom_version=None):
    path, image = f"{family}/{version}/espurr.bin", f"firmware {family} {version}".encode()
    target = TargetFile.from_data(path, image, ["sha256"])
    target.unrecognized_fields["custom"] = {
        "schema": 1, "family": family, "chip": "ESP32-S3", "version": custom_version or version, "channel": "stable",
        "application_protocol": 2, "released": "2026-06-01T12:00:00Z", "notes": "A release.",
    }
    return target, image


def no_release(path):
    """A target that is left out of the list of releases: by its path, or because nothing describes it."""
    image = f"no release {path}".encode()
    return TargetFile.from_data(path, image, ["sha256"]), image


def releases():
    """The family s3 at the top, with a release that contradicts itself and an image at a path of another form; the family
    v2-8m by a role of that name, with an image without a description."""
    repository = Repository()
    expires = datetime(2098, 1, 1, tzinfo=timezone.utc)
    listed = [release("s3", "1.5.0"), release("s3", "1.6.0", "1.7.0"), no_release("s3/espurr.bin")]
    delegated = [release("v2-8m", "2.0.0"), no_release("v2-8m/2.1.0/espurr.bin")]
    paths = ["v2-8m" + "/*" * depth for depth in range(1, 6)]
    role = DelegatedRole("v2-8m", [key_id("v2-8m")], 1, True, paths)
    top = Targets(version=1, expires=expires, targets={target.path: target for target, _ in listed})
    top.delegations = Delegations({key_id("v2-8m"): KEYS["v2-8m"].public_key}, {"v2-8m": role})
    below = Targets(version=1, expires=expires, targets={target.path: target for target, _ in delegated})
    repository.targets = top.to_dict()
    for part in (repository.root, repository.snapshot, repository.timestamp):
        part["expires"] = "2098-01-01T00:00:00Z"
    repository.delegated = {"v2-8m": below.to_dict()}
    repository.target_files = {served_name(t.path, image): image.decode() for t, image in listed + delegated}
    return repository.write()


def build(make):
    repository = Repository()
    make(repository)
    return repository.write()


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    made = {name: build(make) for name, make in CASES.items()}
    # python-tuf reads what it is said to have made.
    for role in ("timestamp.json", "1.snapshot.json", "1.targets.json"):
        Metadata.from_bytes(made["intact"]["metadata"][role].encode())
    for name, what in (("repositories.json", made), ("releases.json", releases())):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(what, file, indent=1, ensure_ascii=True, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main()
