"""Servers that write down what they are asked: one that speaks TLS with HTTP/2 or HTTP/1.1, and a proxy for CONNECT."""
import asyncio, ssl, threading
from dataclasses import dataclass, field

import h2.config, h2.connection, h2.errors, h2.events


@dataclass
class Connection:
    protocol: str
    # (method, path, the other header fields as they came)
    requests: list = field(default_factory=list)


class Loop:
    """An event loop on a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def serve(self, handler, context=None):
        async def start():
            server = await asyncio.start_server(handler, "127.0.0.1", 0, ssl=context)
            return server.sockets[0].getsockname()[1]

        return asyncio.run_coroutine_threadsafe(start(), self.loop).result()


class Catalogue:
    """Files by path; `answers` has the paths that are answered otherwise: (status, header fields, body)."""

    def __init__(self, loop, files, certificate, protocols=("h2", "http/1.1"), newest=ssl.TLSVersion.TLSv1_3):
        self.files, self.answers, self.connections = files, {}, []
        # Paths that are never answered; `asked` tells of each.
        self.silent, self.asked = set(), threading.Event()
        # By path: so many requests are refused before they are begun (REFUSED_STREAM, HTTP/2 alone).
        self.refused = {}
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.maximum_version = newest
            if newest < ssl.TLSVersion.TLSv1_2:
                context.minimum_version = newest
                context.set_ciphers("ALL:@SECLEVEL=0")
            context.load_cert_chain(certificate)
            context.set_alpn_protocols(list(protocols))
        self.port = loop.serve(self.handle, context)

    @property
    def requests(self):
        return [request for connection in self.connections for request in connection.requests]

    def reply(self, path):
        if path in self.answers:
            return self.answers[path]
        body = self.files.get(path)
        return (200, [], body) if body is not None else (404, [], b"no such file")

    async def handle(self, reader, writer):
        tls = writer.get_extra_info("ssl_object")
        connection = Connection((tls and tls.selected_alpn_protocol()) or "http/1.1")
        self.connections.append(connection)
        try:
            speak = self.http2 if connection.protocol == "h2" else self.http1
            await speak(connection, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def http1(self, connection, reader, writer):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ")
            connection.requests.append((method, path, [tuple(line.split(": ", 1)) for line in head[1:] if line]))
            if path in self.silent:
                self.asked.set()
                await reader.read()
                return
            status, fields, body = self.reply(path)
            lines = [f"HTTP/1.1 {status} -", *(f"{n}: {v}" for n, v in fields), f"Content-Length: {len(body)}", "", ""]
            writer.write("\r\n".join(lines).encode() + body)
            await writer.drain()

    async def http2(self, connection, reader, writer):
        state = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=False))
        state.initiate_connection()
        waiting = {}
        while True:
            writer.write(state.data_to_send())
            await writer.drain()
            data = await reader.read(65536)
            if not data:
                return
            for event in state.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    fields = [(n.decode(), v.decode()) for n, v in event.headers]
                    method, path = dict(fields)[":method"], dict(fields)[":path"]
                    connection.requests.append((method, path, fields))
                    if path in self.silent:
                        self.asked.set()
                        continue
                    if self.refused.get(path, 0) > 0:
                        self.refused[path] -= 1
                        state.reset_stream(event.stream_id, error_code=h2.errors.ErrorCodes.REFUSED_STREAM)
                        continue
                    status, more, body = self.reply(path)
                    state.send_headers(event.stream_id, [(":status", str(status)), *more])
                    waiting[event.stream_id] = body
            for stream, body in list(waiting.items()):
                while stream in waiting:
                    room = min(state.local_flow_control_window(stream), state.max_outbound_frame_size)
                    if body and room <= 0:
                        waiting[stream] = body
                        break
                    piece, body = body[:room], body[room:]
                    state.send_data(stream, piece, end_stream=not body)
                    if not body:
                        del waiting[stream]


class Proxy:
    """Connects every CONNECT to one port of this machine, or refuses it with a status; writes all heads down."""

    def __init__(self, loop, port, status=200):
        self.target, self.status, self.heads = port, status, []
        self.port = loop.serve(self.handle)

    async def handle(self, reader, writer):
        try:
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
            writer.write(f"HTTP/1.1 {self.status} -\r\n\r\n".encode())
            await writer.drain()
            if self.status != 200:
                return
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)

            async def pump(source, sink):
                while data := await source.read(65536):
                    sink.write(data)
                    await sink.drain()
                sink.close()

            await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
