"""How fast `espurr-ota inspect` is beside `openssl dgst -sha256`, and that no image's size shows in anybody's memory.

    images.py COUNT FOLDER

FOLDER holds `espurr-ota` and `espurr-sim`, built for release. The images are sound ones of any size, made as those of the
demonstration are. Each program is a whole process from its start to its end, COUNT times, the two taking turns on the same
file. The least of each is compared, of the CPU's time (what others do on the machine does not count) and of the clock's.
What a file of 1 KiB takes is the start, and is taken off for a second ratio. Peak memory is the kernel's (`ru_maxrss`): of
`inspect` with 1 MiB and with 16 MiB, and of `install` with 128 KiB and with 4 MiB beside simulated ears. Fails where whole
processes are below LEAST_RATIO by the CPU's time, and where the larger file takes more than MOST_GROWTH more memory. Needs
Python, GNU time and the `openssl` command.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SCRIPT = os.path.abspath(__file__)
DEMONSTRATION = os.path.join(os.path.dirname(SCRIPT), "../DemonstrationCatalogue")
LEAST_RATIO = 0.8
MOST_GROWTH = 2048  # KiB
HEADERS = 24 + 4 * 8 + 16 + 32  # bytes at most beside the segments' data
SIZES = {"start": 1 << 10, "128K": 128 << 10, "1M": 1 << 20, "1.4M": 1_400_000, "4M": 4 << 20, "16M": 16 << 20}


def make(folder):
    sys.path.insert(0, DEMONSTRATION)
    import images

    family = next(family for family in images.FAMILIES if family.name == "v2-16m")
    for number, (name, size) in enumerate(SIZES.items()):
        code = (size - HEADERS - 256 - 2 * 64) // 4 * 4
        with open(path_of(folder, name), "wb") as file:
            file.write(images.image(family, f"9.0.{number}", (256, 64, 64, code)))


def path_of(folder, name):
    return os.path.join(folder, f"{name}.bin")


def run(words, expected=0):
    """Milliseconds of the CPU and of the clock."""
    silence = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    start = time.perf_counter()
    process = os.posix_spawnp(words[0], words, os.environ, file_actions=silence)
    _, status, usage = os.wait4(process, 0)
    taken = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != expected:
        sys.exit(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return (usage.ru_utime + usage.ru_stime) * 1000, taken * 1000


def peak(words):
    """By GNU time, which is small: a process starts with the peak of the one that starts it."""
    with tempfile.NamedTemporaryFile("r", encoding="ascii") as told:
        run(["time", "-f", "%M", "-o", told.name, *words])
        return int(told.read())


def in_turns(count, *commands):
    """The times of each command, by the CPU and by the clock."""
    for words in commands:
        run(words)
    rounds = [[run(words) for words in commands] for _ in range(count)]
    return [list(zip(*times)) for times in zip(*rounds)]


def summary(times):
    texts = (f"least {min(measured):.1f} ms, median {statistics.median(measured):.1f}" for measured in times)
    return "CPU {}; clock {}".format(*texts)


def is_fast(count, program, folder):
    def of(name):
        file = path_of(folder, name)
        return in_turns(count, [program, "inspect", file], ["openssl", "dgst", "-sha256", file])

    measured = {name: of(name) for name in ("start", "1.4M", "16M")}
    for name, (own, openssl) in measured.items():
        print(f"{name}: inspect {summary(own)}")
        print(f"{name}: openssl {summary(openssl)}")
    ratios = [ratio_of(measured, name) for name in ("1.4M", "16M")]
    return min(ratios) >= LEAST_RATIO


def ratio_of(measured, name):
    (own, own_clock), (openssl, openssl_clock) = ([min(times) for times in each] for each in measured[name])
    (own_start, _), (openssl_start, _) = ([min(times) for times in each] for each in measured["start"])
    ratio, beyond = openssl / own, (openssl - openssl_start) / (own - own_start)
    clock = openssl_clock / own_clock
    print(f"{name}: {ratio:.2f} of openssl's speed (clock {clock:.2f}); beyond the start of each {beyond:.2f}")
    return ratio


def is_flat(what, small, large):
    growth = large - small
    print(f"{what}: {small} and {large} KiB at the peak, {growth} KiB more")
    return growth <= MOST_GROWTH


def inspect_is_flat(program, folder):
    small, large = (min(peak([program, "inspect", path_of(folder, name)]) for _ in range(5)) for name in ("1M", "16M"))
    return is_flat("inspect of 1 MiB and of 16 MiB", small, large)


def install_is_flat(folder):
    """Within `espurr-sim run`."""
    words = ["espurr-ota", "install", "--yes", "--unauthenticated", "--allow-older", "--json"]
    small, large = (peak(words + [path_of(folder, name)]) for name in ("128K", "4M"))
    return is_flat("install of 128 KiB and of 4 MiB", small, large)


def judged(count, programs, folder):
    subprocess.run([sys.executable, SCRIPT, "make", folder], check=True)
    program = os.path.join(programs, "espurr-ota")
    for command in ("openssl", "time"):
        if shutil.which(command) is None:
            sys.exit(f"there is no {command} command")
    results = [is_fast(count, program, folder), inspect_is_flat(program, folder)]
    inside = [os.path.join(programs, "espurr-sim"), "run", "--family", "v2-16m", "--"]
    installed = subprocess.run(inside + [sys.executable, SCRIPT, "install", folder], check=False)
    return all(results) and installed.returncode == 0


def main(what, folder):
    if what == "make":
        make(folder)
        return 0
    if what == "install":
        return 0 if install_is_flat(folder) else 1
    with tempfile.TemporaryDirectory() as made:
        return 0 if judged(int(what), os.path.abspath(folder), made) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
