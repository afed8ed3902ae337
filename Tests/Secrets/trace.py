"""Every system call of a command that takes a password, with the password coming from a place.

    espurr-sim run -- python3 Tests/Secrets/trace.py terminal|file|descriptor FOLDER espurr-ctl wifi password

Runs it under strace with whole strings, and leaves in FOLDER: `trace`, a call a line, and `shown`, everything that came out of
it: for `terminal` what a person at that pseudo-terminal saw, else standard output and error. The password is the line in
FOLDER/secret. Ends with the command's status. Needs strace and Python alone.
"""

import os
import pty
import select
import subprocess
import sys
import time

DEADLINE = 60


def at_terminal(words, secret):
    """What was shown, and the status. The password is typed where it is asked for, both times."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(words[0], words)
    shown, asked = b"", 0
    end = time.monotonic() + DEADLINE
    while True:
        left = max(0, end - time.monotonic())
        if not select.select([terminal], [], [], left)[0]:
            sys.exit("the command did not end in time: " + repr(shown))
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
        for question in (b"(not shown): ", b"again: ")[asked:]:
            if question in shown:
                asked += 1
                os.write(terminal, secret.encode() + b"\n")
    return shown, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def join_calls(path):
    """A call that another thread's lines came between becomes one line, where it ended."""
    begun, lines = {}, []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            thread, _, call = line.rstrip("\n").partition(" ")
            call = call.lstrip()
            if call.endswith("<unfinished ...>"):
                begun[thread] = call[:-len("<unfinished ...>")].rstrip()
                continue
            if call.startswith("<... ") and thread in begun:
                call = begun.pop(thread) + call.partition(" resumed>")[2]
            lines.append(call)
    lines += begun.values()
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main(place, folder, *command):
    with open(os.path.join(folder, "secret"), encoding="ascii") as file:
        secret = file.read().strip()
    # -v: the environment whole, -yy: what each descriptor is.
    traced = ["strace", "-f", "-v", "-yy", "-s", "9999", "-o", os.path.join(folder, "trace")]
    words = traced + list(command) + ["--verbose"]
    if place == "terminal":
        shown, status = at_terminal(words, secret)
    else:
        with open(os.path.join(folder, "secret"), "rb") as file:
            number = file.fileno()
            source = os.path.join(folder, "secret") if place == "file" else str(number)
            kept = (number,) if place == "descriptor" else ()
            run = subprocess.run(
                words + ["--json", "--password-from", source], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, pass_fds=kept, timeout=DEADLINE, check=False)
        shown, status = run.stdout, run.returncode
    join_calls(os.path.join(folder, "trace"))
    with open(os.path.join(folder, "shown"), "wb") as file:
        file.write(shown)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
