#!/usr/bin/env python3
"""Holds `espurr-ota` to what it may do on a network, by servers that are not ours (h2, asyncio, OpenSSL by Python).

usage: check.py [FOLDER]      FOLDER has espurr-ota; .build/debug unless it is said

Protocols, connections, the exact requests, certificates, proxies, redirects, what is asked about again, cancelling, an
old libcurl. All on loopback; names that do not exist are reached through a proxy of the test's own. Needs a C compiler.
Prints a line a case.
"""
import hashlib, json, os, shutil, signal, ssl, statistics, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from certificates import Authority  # noqa: E402
from servers import Catalogue, Loop, Proxy  # noqa: E402

NAME = "catalogue.test"
METADATA = ["2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json", "1.v2-8m.json"]
CANCELLED_RUNS = 15
# Seconds.
SLOW_NAMES = 8


class Bench:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.loop, self.count = programs, folder, Loop(), 0
        stored = json.load(open(os.path.join(here, "..", "BrokenRepositories", "releases.json")))
        self.files = {f"/metadata/{n}": text.encode() for n, text in stored["metadata"].items()}
        self.files |= {f"/targets/{n}": text.encode() for n, text in stored["targets"].items()}
        self.root = os.path.join(folder, "root.json")
        with open(self.root, "w") as file:
            file.write(stored["trusted_root"])
        self.authority = Authority(folder, "authority")
        self.good = self.authority.certificate(NAME)
        self.interpose = os.path.join(folder, "interpose.so")
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        source = os.path.join(here, "interpose.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", self.interpose, source], check=True)

    def server(self, certificate, **options):
        return Catalogue(self.loop, self.files, certificate, **options)

    def environment(self, **variables):
        """Of a person who never used the catalogue; whole."""
        self.count += 1
        home = os.path.join(self.folder, f"home-{self.count}")
        os.makedirs(os.path.join(home, "config/espurr"))
        with open(os.path.join(home, "config/espurr/config.json"), "w") as file:
            json.dump({"schema": "espurr.config/1", "catalogue": {"root": self.root}}, file)
        xdg = {f"XDG_{kind.upper()}_HOME": f"{home}/{kind}" for kind in ("config", "state", "cache")}
        return {"HOME": home, "PATH": "/usr/bin:/bin", **xdg, **variables}

    def command(self, address, *words):
        return [os.path.join(self.programs, "espurr-ota"), *words, "--catalogue", address, "--json"]

    def run(self, address, *words, environment=None, **variables):
        environment = environment or self.environment(**variables)
        done = subprocess.run(
            self.command(address, *(words or ("list",))), env=environment, capture_output=True, text=True, timeout=60)
        document = json.loads(done.stdout or "{}")
        return done.returncode, document.get("error", {}), done.stderr

    def through(self, proxy, **more):
        return {"https_proxy": f"http://127.0.0.1:{proxy.port}", "SSL_CERT_FILE": self.authority.file, **more}


def expect(actual, expected, what=""):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r} is not {expected!r}")


def requests_are_exact(bench, protocol):
    server = bench.server(bench.good, protocols=[protocol])
    proxy = Proxy(bench.loop, server.port)
    output = os.path.join(bench.folder, f"out-{protocol.replace('/', '')}")
    status, error, _ = bench.run(
        f"https://{NAME}/", "download", "2.0.0", "--output", output, **bench.through(proxy))
    expect((status, error), (0, {}))
    expect([c.protocol for c in server.connections], [protocol], "connections")
    image = open(os.path.join(output, "espurr.bin"), "rb").read()
    target = f"/targets/v2-8m/2.0.0/{hashlib.sha256(image).hexdigest()}.espurr.bin"
    paths = [f"/metadata/{name}" for name in METADATA] + [target]
    if protocol == "h2":
        fields = lambda path: [  # noqa: E731
            (":method", "GET"), (":path", path), (":scheme", "https"), (":authority", NAME),
            ("user-agent", "espurr-tools")]
        expect([(m, p, sorted(f)) for m, p, f in server.requests], [("GET", p, sorted(fields(p))) for p in paths])
    else:
        fields = [("Host", NAME), ("User-Agent", "espurr-tools")]
        expect(server.requests, [("GET", path, fields) for path in paths])
    # What the proxy is told: where to, and who asks, which is the same for everybody.
    lines = proxy.heads[0].split("\r\n")
    expect(lines[0], f"CONNECT {NAME}:443 HTTP/1.1", "to the proxy")
    allowed = {"Host": f"{NAME}:443", "User-Agent": "espurr-tools", "Proxy-Connection": "Keep-Alive"}
    expect(dict(line.split(": ") for line in lines[1:] if line), allowed, "to the proxy")
    expect(len(proxy.heads), 1, "tunnels")


def http2(bench):
    requests_are_exact(bench, "h2")


def http1(bench):
    requests_are_exact(bench, "http/1.1")


def a_second_run_asks_for_little(bench):
    server = bench.server(bench.good)
    environment = bench.environment(**bench.through(Proxy(bench.loop, server.port)))
    for _ in range(2):
        expect(bench.run(f"https://{NAME}/", environment=environment)[0], 0)
    expect([path for _, path, _ in server.connections[1].requests],
           ["/metadata/2.root.json", "/metadata/timestamp.json"])


def refused_certificate(bench, certificate, words, **variables):
    server = bench.server(certificate)
    proxy = Proxy(bench.loop, server.port)
    status, error, _ = bench.run(f"https://{NAME}/", **{**bench.through(proxy), **variables})
    expect((status, error.get("code")), (15, "catalogue_unreachable"))
    assert words in error["cause"], error
    expect(server.requests, [], "requests")


def an_unknown_authority(bench):
    refused_certificate(bench, bench.good, "no authority that this machine trusts", SSL_CERT_FILE="")
    other = Authority(bench.folder, "other")
    refused_certificate(bench, other.certificate(NAME), "no authority that this machine trusts")


def another_host(bench):
    refused_certificate(bench, bench.authority.certificate("other.test"), "it is for another name")


def an_expired_certificate(bench):
    certificate = bench.authority.certificate(NAME, begins=-9, ends=-2)
    refused_certificate(bench, certificate, "it has expired; this machine takes it to be 20")


def a_certificate_of_the_future(bench):
    certificate = bench.authority.certificate(NAME, begins=2, ends=9)
    refused_certificate(bench, certificate, "its time has not begun; this machine takes it to be 20")


def no_list_of_authorities(bench):
    refused_certificate(bench, bench.good, "certificates of this machine's authorities cannot be read",
                        SSL_CERT_FILE="/no/such/file")


def the_variables_of_curl(bench):
    server = bench.server(bench.good)
    proxy = Proxy(bench.loop, server.port)
    variables = bench.through(proxy, CURL_CA_BUNDLE=bench.authority.file, SSL_CERT_FILE="/no/such/file")
    expect(bench.run(f"https://{NAME}/", **variables)[0], 0)


def an_old_protocol(bench):
    server = bench.server(bench.good, newest=ssl.TLSVersion.TLSv1_1)
    status, error, _ = bench.run(f"https://{NAME}/", **bench.through(Proxy(bench.loop, server.port)))
    expect(status, 15)
    assert "no TLS connection" in error["cause"], error


def a_proxy_that_refuses(bench):
    for code in (403, 407, 502):
        proxy = Proxy(bench.loop, 1, status=code)
        status, error, _ = bench.run(f"https://{NAME}/", **bench.through(proxy))
        expect(status, 15)
        assert f"the proxy answered {code}" in error["cause"], error
        expect(len(proxy.heads), 1, "tries")


def loopback_never_goes_through_a_proxy(bench):
    for certificate, address in ((None, "http://127.0.0.1:{}/"), (bench.authority.certificate("x"), "https://127.0.0.1:{}/")):
        server = bench.server(certificate)
        proxy = Proxy(bench.loop, server.port)
        every = {n: f"http://127.0.0.1:{proxy.port}" for n in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY")}
        status, error, _ = bench.run(address.format(server.port), SSL_CERT_FILE=bench.authority.file, **every)
        expect(status, 15 if certificate else 0)
        expect(proxy.heads, [], "to the proxy")
        expect(len(server.connections), 1 if not certificate else len(server.connections))


def no_proxy_is_heeded(bench):
    server = bench.server(bench.good)
    proxy = Proxy(bench.loop, server.port)
    status, _, _ = bench.run(f"https://{NAME}/", **bench.through(proxy, no_proxy=NAME))
    expect(status, 15)
    expect(proxy.heads, [], "to the proxy")


def redirects(bench):
    elsewhere = bench.server(None)
    for place in (f"http://127.0.0.1:{elsewhere.port}/x", "file:///etc/hostname", "https://catalogue.test/other"):
        for path in ("/metadata/2.root.json", "/metadata/timestamp.json", "target"):
            server = bench.server(bench.good)
            if path == "target":
                path = next(p for p in bench.files if p.startswith("/targets/v2-8m"))
            server.answers[path] = (302, [("location", place)], b"")
            words = ("download", "2.0.0", "--output", os.path.join(bench.folder, "redirected"))
            variables = bench.through(Proxy(bench.loop, server.port))
            status, error, _ = bench.run(f"https://{NAME}/", *words, **variables)
            expect(status, 15)
            assert "302, which sends elsewhere" in error["cause"], error
            expect(server.requests[-1][1], path, "the last request")
    expect(elsewhere.connections, [], "elsewhere")


def asked_again_where_nothing_was_decided(bench):
    for status, requests, ends in ((503, 3, 15), (500, 1, 15), (403, 1, 15), (404, 1, 15)):
        server = bench.server(bench.good)
        server.answers["/metadata/timestamp.json"] = (status, [], b"")
        result, _, _ = bench.run(f"https://{NAME}/", **bench.through(Proxy(bench.loop, server.port)))
        expect(result, ends)
        asked = [path for _, path, _ in server.requests if path == "/metadata/timestamp.json"]
        expect(len(asked), requests, f"requests for {status}")


def refused_before_it_was_begun(bench):
    """By a server that always says so, or once. libcurl asks again by itself, and after it the client."""
    path = "/metadata/timestamp.json"
    for refusals, requests, ends in ((1, 2, 0), (3, 4, 0), (1000, 6, 15)):
        server = bench.server(bench.good)
        server.refused[path] = refusals
        result, error, _ = bench.run(f"https://{NAME}/", **bench.through(Proxy(bench.loop, server.port)))
        expect(result, ends)
        expect(len([asked for _, asked, _ in server.requests if asked == path]), requests, f"{refusals} refused: requests")
        assert not error or "the connection was lost" in error["cause"], error


def cancelling(bench):
    """Tells how long it takes; that it ends, and with 130, is what is held."""
    server = bench.server(bench.good)
    server.silent.add("/metadata/timestamp.json")
    proxy = Proxy(bench.loop, server.port)
    times = []
    for _ in range(CANCELLED_RUNS):
        server.asked.clear()
        running = subprocess.Popen(
            bench.command(f"https://{NAME}/", "list"), env=bench.environment(**bench.through(proxy)),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert server.asked.wait(30), "no request"
        start = time.perf_counter()
        running.send_signal(signal.SIGINT)
        expect(running.wait(30), 130, "status")
        times.append((time.perf_counter() - start) * 1000)
    print(f"  from SIGINT to the end of the process: median {statistics.median(times):.1f} ms, most {max(times):.1f} ms")


def cancelled_while_a_name_is_looked_up(bench):
    running = subprocess.Popen(
        bench.command(f"https://{NAME}/", "list"),
        env=bench.environment(LD_PRELOAD=bench.interpose, SLOW_NAMES=str(SLOW_NAMES)),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # interpose.c says so.
    assert b"looking up\n" in iter(running.stderr.readline, b""), "no lookup"
    start = time.perf_counter()
    running.send_signal(signal.SIGINT)
    expect(running.wait(30), 130, "status")
    assert time.perf_counter() - start < SLOW_NAMES / 4, f"it waited: {time.perf_counter() - start} s"


def an_old_libcurl(bench):
    server = bench.server(bench.good)
    variables = bench.through(Proxy(bench.loop, server.port), LD_PRELOAD=bench.interpose, OLD_LIBCURL="1")
    expect(bench.run(f"https://{NAME}/", **variables)[:2], (0, {}))
    expect([c.protocol for c in server.connections], ["h2"], "connections")


CASES = [
    http2, http1, a_second_run_asks_for_little, an_unknown_authority, another_host, an_expired_certificate,
    a_certificate_of_the_future, no_list_of_authorities, the_variables_of_curl, an_old_protocol, a_proxy_that_refuses,
    loopback_never_goes_through_a_proxy, no_proxy_is_heeded, redirects, asked_again_where_nothing_was_decided,
    refused_before_it_was_begun, cancelling, cancelled_while_a_name_is_looked_up, an_old_libcurl,
]


def main():
    # A shell that starts this beside other work has it ignore Ctrl-C, and what is started here would do so too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    programs = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".build/debug")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(programs, folder)
        for case in CASES:
            try:
                case(bench)
                print(f"passed: {case.__name__.replace('_', ' ')}", flush=True)
            except Exception as error:  # one broken case says nothing about the others
                failed += 1
                print(f"FAILED: {case.__name__.replace('_', ' ')}: {type(error).__name__}: {error}", flush=True)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
