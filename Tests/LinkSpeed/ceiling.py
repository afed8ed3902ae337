"""The most that a Bluetooth LE link carries to the ears, from the timing of its link layer alone.

    python3 Tests/LinkSpeed/ceiling.py            what the published settings allow
    python3 Tests/LinkSpeed/ceiling.py FOLDER     compares with FOLDER/espurr-link-speed --ceilings

A packet on the air (Core specification, Vol 6 Part B 2.1) has a preamble of 1 byte on the 1M PHY and 2 on 2M, the access
address (4), a header (2), the payload, a message integrity check (4) where the link is encrypted and the payload is not
empty, and a CRC (3); a byte takes 8 us on 1M, 4 us on 2M. Each packet of the central is answered by one of the peripheral,
T_IFS = 150 us later, and the next one follows T_IFS after that. An event begins every INTERVAL and closes T_IFS before
the next; the controllers may have a limit of packets in an event.

An ATT packet goes in an L2CAP frame (4 bytes), cut into payloads of DATA LENGTH bytes.

Stream: write commands (3 bytes and the value), one behind the other, of the best length of at most min(MTU - 3, 512).
The ceiling counts values. A packet has to be sent again unless it and its answer arrive whole, so loss costs the factor
(1 - loss) ** 2.

Exchange: a chunk is a write request and its response, or the parts of a long write and its execution, each with its
response, then a read request and its response. A host never answers within the event that asked: each of these packets
begins an event of its own. With loss, the number of events is the expected one. The ceiling counts bytes of the file: a
message of so many bytes holds a session id of 5 bytes and an offset of 3, with their tags and lengths (Protocol/wire.md).

No code is shared with the package.
"""

import functools
import subprocess
import sys

T_IFS = 150


class Link:
    def __init__(self, phy, interval, packets, data_length, mtu, encrypted, loss):
        self.preamble, self.byte = {"1M": (1, 8), "2M": (2, 4)}[phy]
        self.interval = interval
        self.packets = packets
        self.data_length = data_length
        self.mtu = mtu
        self.mic = 4 if encrypted else 0
        self.loss = loss

    def air(self, payload):
        return self.byte * (self.preamble + 4 + 2 + payload + (self.mic if payload else 0) + 3)

    def pair(self, payload):
        """A packet with a payload and an empty one, whoever sends which, and the space between them."""
        return self.air(payload) + T_IFS + self.air(0)

    def fragments(self, att):
        whole, rest = divmod(att + 4, self.data_length)
        return [self.data_length] * whole + ([rest] if rest else [])

    def fits(self, payload, used, sent):
        """Into what is left of an event of which `used` us have passed with `sent` packets."""
        if self.packets is not None and sent >= self.packets:
            return False
        return used + self.pair(payload) + T_IFS <= self.interval

    def stream_of(self, value):
        """Bytes of values a second, all of one length, without loss."""
        cycle = self.fragments(3 + value)
        at, values, starts, history = 0, 0, {}, []
        while at not in starts:
            starts[at] = len(history)
            history.append(values)
            used = sent = 0
            while self.fits(cycle[at], used, sent):
                used += self.pair(cycle[at]) + T_IFS
                sent += 1
                at = (at + 1) % len(cycle)
                values += at == 0
        first = starts[at]
        return (values - history[first]) * value / ((len(history) - first) * self.interval * 1e-6)

    def stream(self):
        best = max(self.stream_of(value) for value in range(1, min(self.mtu - 3, 512) + 1))
        return best * (1 - self.loss) ** 2

    @functools.lru_cache(maxsize=None)
    def events(self, att, is_reply):
        """Expected number of events from the first bit of an ATT packet to the last of its last fragment.

        Whoever sends it, a fragment takes a packet each way. A request's last fragment is sent again within the event when
        it arrived damaged; a reply's is not, because a peripheral that has no more to say stops to listen, unless the
        packet that it answered was damaged as well.
        """
        pieces = self.fragments(att)
        whole = 1 - self.loss
        from_start = [0.0] * (len(pieces) + 1)
        for first in range(len(pieces) - 1, -1, -1):
            # The chance of each state (piece, microseconds used, packets sent) of an event that starts with piece `first`.
            states = {(first, 0, 0): 1.0}
            beyond, again = 0.0, 0.0
            while states:
                later = {}
                for (piece, used, sent), chance in states.items():
                    if piece == len(pieces):
                        continue
                    if not self.fits(pieces[piece], used, sent):
                        beyond += chance
                        if piece == first:
                            again += chance
                        else:
                            beyond += chance * from_start[piece]
                        continue
                    is_last = piece == len(pieces) - 1
                    passes = whole if is_last else whole * whole
                    ended = (1 - whole) * whole if is_last and is_reply else 0
                    beyond += chance * ended * (1 if piece == first else 1 + from_start[piece])
                    again += chance * ended if piece == first else 0
                    after = (used + self.pair(pieces[piece]) + T_IFS, sent + 1)
                    for state, part in (((piece + 1, *after), passes), ((piece, *after), 1 - passes - ended)):
                        if part:
                            later[state] = later.get(state, 0.0) + chance * part
                states = later
            from_start[first] = beyond / (1 - again)
        return 1 + from_start[0]

    def exchange_of(self, message):
        if message <= self.mtu - 3:
            steps = [(3 + message, 1)]
        else:
            room = self.mtu - 5
            parts = [min(room, message - start) for start in range(0, message, room)]
            steps = [(5 + part, 5 + part) for part in parts] + [(2, 1)]
        # Session (1 + 5 bytes), state (2), next offset (1 + 3), silence limit (1 + 3).
        steps.append((3, 1 + 6 + 2 + 4 + 4))
        events = sum(self.events(request, False) + self.events(reply, True) for request, reply in steps)
        return chunk_data(message) / (events * self.interval * 1e-6)

    def exchange(self):
        return max(self.exchange_of(message) for message in range(1, 513))


def varint(number):
    return max(1, (number.bit_length() + 6) // 7)


def chunk_data(message):
    """Bytes of the file in a request of at most so many bytes: field 3 with session, offset and data."""
    for data in range(message, 0, -1):
        inner = (1 + 5) + (1 + 3) + (1 + varint(data) + data)
        if 1 + varint(inner) + inner <= message:
            return data
    return 0


def published():
    for name, said, phy, packets in (("NimBLE", 500, "1M", 2), ("Bluedroid", 1401, "2M", 5)):
        for mtu in (247, 517):
            for encrypted in (True, False):
                reach = Link(phy, 7500, packets, 251, mtu, encrypted, 0).stream() * 8e-3
                print(f"{name} {phy} 7.5 ms, {packets} packets an event, MTU {mtu}, "
                      f"{'encrypted' if encrypted else 'not encrypted'}: {reach:.1f} kbit/s, published {said}")
        link = Link(phy, 7500, None, 251, 247, False, 0)
        print(f"{name} {phy}, 244 bytes in each packet, not encrypted, without a rest at the end of an event: "
              f"{244 * 8e3 / (link.pair(251) + T_IFS):.1f} kbit/s, {7500 / (link.pair(251) + T_IFS):.2f} packets in 7.5 ms")


def compare(folder):
    listed = subprocess.run([f"{folder}/espurr-link-speed", "--ceilings"], check=True, capture_output=True, text=True)
    rows = listed.stdout.splitlines()
    wrong = 0
    for row in rows:
        phy, interval, packets, data_length, mtu, encrypted, loss, stream, exchange = row.split("\t")
        link = Link(phy, int(interval), None if packets == "-" else int(packets), int(data_length), int(mtu),
                    encrypted == "1", float(loss))
        for form, theirs, ours in (("stream", float(stream), link.stream()),
                                   ("exchange", float(exchange), link.exchange())):
            if abs(theirs - ours) > 1e-9 * ours:
                wrong += 1
                print(f"{form} of {row}: {ours} here")
    print(f"{len(rows)} links, {wrong} ceilings that differ")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1]) if len(sys.argv) > 1 else published())
