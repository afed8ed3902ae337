"""Messages for the codec to be held to, made from the contract's own descriptors by Python's protobuf (PyPI).

    generate.py DESCRIPTOR_SET SEED COUNT TYPE=FULL_NAME…

DESCRIPTOR_SET is what `protoc --include_imports --descriptor_set_out` wrote. For each TYPE (a codec of ours) and the
message that it reads, COUNT lines: TYPE, bytes, and what Python's protobuf writes after it read the bytes, without
unknown fields; "refused" where it cannot read them, or where they are no message by the envelope's own rules. The bytes
are written here, by hand: fields in any order, twice, packed and not, with unknown ones between, and some damaged.

Fails where a message of the contract is none of these and in no field of theirs: nobody would read it.
"""

import random
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import DecodeError

TEXTS = ["", "a", "espurr-7A3F", "\0", '"\\\n', "\u00e9", "\U0001f431", "x" * 40]
VARINT, FIXED64, BYTES, START_GROUP, END_GROUP, FIXED32 = range(6)


def varint(value, padding=0):
    """A varint; padding makes it longer than it has to be."""
    value &= (1 << 64) - 1
    digits = []
    while True:
        digits.append(value & 0x7F)
        value >>= 7
        if not value:
            break
    digits += [0] * min(padding, 10 - len(digits))
    return bytes(digit | 0x80 for digit in digits[:-1]) + bytes(digits[-1:])


def tag(number, wire_type):
    return varint(number << 3 | wire_type)


def block(content):
    return varint(len(content)) + content


class Writer:
    """Bytes of a message, as any writer might have written them."""

    def __init__(self, dice):
        self.dice = dice

    def chance(self, probability):
        return self.dice.random() < probability

    def number(self, bits):
        dice = self.dice
        return dice.choice([0, 1, 2, 127, 128, (1 << bits) - 1, dice.getrandbits(bits), dice.getrandbits(8)])

    def message(self, descriptor, depth=0):
        parts = []
        for field in descriptor.fields:
            if self.chance(0.6):
                parts += self.field(field, depth)
        for oneof in descriptor.oneofs:
            # Of most envelopes exactly one member, else nearly all would be empty or have several.
            if len(oneof.fields) > 1 and self.chance(0.8):
                numbers = {field.number for field in oneof.fields}
                parts = [part for part in parts if part[0] not in numbers]
                parts += self.field(self.dice.choice(oneof.fields), depth)
        parts += [(0, self.unknown(descriptor)) for _ in range(3) if self.chance(0.15)]
        if self.chance(0.4):
            self.dice.shuffle(parts)
        return b"".join(part for _, part in parts)

    def field(self, field, depth):
        """Its occurrences, each with its number."""
        if self.chance(0.03):
            wrong = self.dice.choice([FIXED32, FIXED64, VARINT if wire_type(field) == BYTES else BYTES])
            return [(field.number, tag(field.number, wrong) + self.content(wrong))]
        if not field.is_repeated:
            return [(field.number, self.occurrence(field, depth)) for _ in range(2 if self.chance(0.15) else 1)]
        parts = []
        for _ in range(self.dice.choice([0, 1, 1, 2, 3])):
            if wire_type(field) != BYTES and self.chance(0.5):
                packed = b"".join(self.value(field, depth) for _ in range(self.dice.randrange(5)))
                parts.append((field.number, tag(field.number, BYTES) + block(packed)))
            else:
                parts.append((field.number, self.occurrence(field, depth)))
        return parts

    def occurrence(self, field, depth):
        return tag(field.number, wire_type(field)) + self.value(field, depth)

    def value(self, field, depth):
        dice = self.dice
        padding = dice.randrange(10) if self.chance(0.05) else 0
        if field.type == Field.TYPE_MESSAGE:
            return block(self.message(field.message_type, depth + 1) if depth < 6 else b"")
        if field.type == Field.TYPE_STRING:
            text = b"\xff\xc3" if self.chance(0.01) else dice.choice(TEXTS).encode()
            return block(text)
        if field.type == Field.TYPE_BYTES:
            return block(dice.randbytes(dice.choice([0, 1, 4, 32, 200])))
        if field.type == Field.TYPE_ENUM:
            known = [value.number for value in field.enum_type.values]
            return varint(dice.choice(known) if self.chance(0.7) else self.number(32), padding)
        if field.type in (Field.TYPE_FIXED32, Field.TYPE_SFIXED32, Field.TYPE_FLOAT):
            return dice.randbytes(4)
        if field.type in (Field.TYPE_FIXED64, Field.TYPE_SFIXED64, Field.TYPE_DOUBLE):
            return dice.randbytes(8)
        return varint(self.number(64 if self.chance(0.1) else 32), padding)

    def unknown(self, descriptor):
        """A field that the message does not have."""
        number = self.dice.choice([n for n in (9, 99, 1000, 536870911) if n not in descriptor.fields_by_number])
        wire = self.dice.choice([VARINT, FIXED64, BYTES, FIXED32, START_GROUP])
        if wire == START_GROUP:
            return tag(number, wire) + self.unknown(descriptor) * self.dice.randrange(2) + tag(number, END_GROUP)
        return tag(number, wire) + self.content(wire)

    def content(self, wire):
        if wire == VARINT:
            return varint(self.number(64))
        if wire == BYTES:
            return block(self.dice.randbytes(self.dice.randrange(6)))
        return self.dice.randbytes(4 if wire == FIXED32 else 8)

    def damaged(self, content):
        content = bytearray(content)
        place = self.dice.randrange(len(content) + 1)
        kind = self.dice.randrange(3)
        if kind == 0 and place < len(content):
            content[place] ^= 1 << self.dice.randrange(8)
        elif kind == 1:
            content.insert(place, self.dice.randrange(256))
        else:
            del content[place:]
        return bytes(content)


def wire_type(field):
    if field.type in (Field.TYPE_MESSAGE, Field.TYPE_STRING, Field.TYPE_BYTES):
        return BYTES
    if field.type in (Field.TYPE_FIXED32, Field.TYPE_SFIXED32, Field.TYPE_FLOAT):
        return FIXED32
    if field.type in (Field.TYPE_FIXED64, Field.TYPE_SFIXED64, Field.TYPE_DOUBLE):
        return FIXED64
    assert field.type != Field.TYPE_GROUP, field.full_name
    return VARINT


REQUESTS = {0: "cmd_get_prop_count", 4: "cmd_get_prop_vals", 6: "cmd_set_prop_vals"}
REPLIES = {1: "resp_get_prop_count", 5: "resp_get_prop_vals", 7: "resp_set_prop_vals"}
SESSIONS = {0: "sc", 1: "sr"}


def is_session(data):
    return data.sec_ver == 0 and data.HasField("sec0") and announces(data.sec0, SESSIONS)


def announces(envelope, payloads):
    """`msg` is one of these, and the payload is the one that it announces."""
    return envelope.WhichOneof("payload") == payloads.get(envelope.msg, "none")


# What protobuf takes and the envelope's reader does not, because nobody could act on it (Protocol/wire.md).
RULES = {
    "LocalControlRequest": lambda message: announces(message, REQUESTS),
    "LocalControlResponse": lambda message: announces(message, REPLIES),
    "SecurityZeroMessage": is_session,
}


def is_whole(codec, message):
    if codec in RULES:
        return RULES[codec](message)
    descriptor = message.DESCRIPTOR
    # What consists of one `oneof` alone says nothing without it.
    # An optional field is a `oneof` of its own as well, with a name that begins with `_`.
    oneofs = [oneof for oneof in descriptor.oneofs if not oneof.name.startswith("_")]
    if len(oneofs) == 1 and len(oneofs[0].fields) == len(descriptor.fields):
        return message.WhichOneof(oneofs[0].name) is not None
    return True


def fixed_envelope(codec, content, writer, message_class):
    """Three in four times, `msg` is written once more, as the payload wants it."""
    payloads = {"LocalControlRequest": REQUESTS, "LocalControlResponse": REPLIES}.get(codec)
    if codec == "SecurityZeroMessage" and writer.chance(0.75):
        number = writer.dice.randrange(2)
        empty = tag(20 + number, BYTES) + block(b"")
        return content + tag(2, VARINT) + varint(0) + tag(10, BYTES) + block(tag(1, VARINT) + varint(number) + empty)
    if payloads and writer.chance(0.75):
        number = writer.dice.choice(list(payloads))
        field = message_class.DESCRIPTOR.fields_by_name[payloads[number]]
        return content + tag(1, VARINT) + varint(number) + writer.occurrence(field, 1)
    return content


def canonical(codec, content, message_class):
    message = message_class()
    try:
        message.ParseFromString(content)
    except DecodeError:
        return "refused"
    if not is_whole(codec, message):
        return "refused"
    return without_unknown(message).SerializeToString(deterministic=True).hex()


# What is read, changed and written back keeps the fields that it does not know (Protocol/wire.md, section 6).
KEEPING = {"EffectParameters", "EffectParameterValue", "Palette", "PaletteStop"}


def without_unknown(message):
    """The message without its unknown fields, at every level but those that keep them."""
    if message.DESCRIPTOR.name in KEEPING:
        return message
    copy = type(message)()
    for field, value in message.ListFields():
        if field.message_type is None:
            if field.is_repeated:
                getattr(copy, field.name).extend(value)
            else:
                setattr(copy, field.name, value)
        elif field.is_repeated:
            for element in value:
                getattr(copy, field.name).add().CopyFrom(without_unknown(element))
        else:
            getattr(copy, field.name).CopyFrom(without_unknown(value))
            getattr(copy, field.name).SetInParent()
    return copy


def unread(files, pool, names):
    """Messages of the contract that are none of these, and in no field of theirs."""
    found, waiting = set(), [pool.FindMessageTypeByName(name) for name in names]
    while waiting:
        descriptor = waiting.pop()
        if descriptor.full_name not in found:
            found.add(descriptor.full_name)
            waiting += [field.message_type for field in descriptor.fields if field.message_type]
    everything = {f"{file.package}.{message.name}" for file in files for message in file.message_type}
    return sorted(everything - found)


def main(path, seed, count, *codecs):
    with open(path, "rb") as source:
        files = descriptor_pb2.FileDescriptorSet.FromString(source.read()).file
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    pairs = [codec.split("=") for codec in codecs]
    if left := unread(files, pool, [name for _, name in pairs]):
        return "no codec reads these (MessageCodec.all): " + ", ".join(left)
    for codec, name in pairs:
        dice = random.Random(f"{seed} {codec}")
        writer = Writer(dice)
        message_class = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
        for _ in range(int(count)):
            content = writer.message(message_class.DESCRIPTOR)
            content = fixed_envelope(codec, content, writer, message_class)
            if writer.chance(0.2):
                content = writer.damaged(content)
            print(codec, content.hex(), canonical(codec, content, message_class), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
