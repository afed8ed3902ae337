"""espurr-sim on a real terminal (a pseudo-terminal): Ctrl-C, input, and a shell's Ctrl-Z and fg.

    python3 Tests/IndependentClients/terminal.py PATH/TO/espurr-sim

Python's standard library alone. Fails where the command does not have the terminal as it would without espurr-sim.
"""

import os
import pty
import select
import sys
import time

DEADLINE = 20


def spawn(words, environment=None):
    process, terminal = pty.fork()
    if process == 0:
        os.execve(words[0], words, environment or os.environ)
    return process, terminal


def read_until(terminal, text):
    """Everything up to a text that has to come."""
    output = b""
    end = time.monotonic() + DEADLINE
    while text not in output:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert ready, f"{text!r} did not come: {output!r}"
        output += os.read(terminal, 4096)
    return output


def status_of(process):
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def run(program, script):
    return [program, "run", "--family", "esp32", "--", "sh", "-c", script]


def interrupt(program):
    """Ctrl-C reaches the command once, and its status is the run's."""
    script = (
        "n=0; trap 'n=$((n+1))' INT; echo ready; while [ $n = 0 ]; do sleep 0.02; done; "
        "sleep 0.2; echo $n times; exit 3"
    )
    process, terminal = spawn(run(program, script))
    read_until(terminal, b"ready")
    os.write(terminal, b"\x03")
    assert b"1 times" in read_until(terminal, b"times")
    assert status_of(process) == 3


def read_input(program):
    process, terminal = spawn(run(program, "echo ready; read word; echo got $word"))
    read_until(terminal, b"ready")
    os.write(terminal, b"hello\n")
    read_until(terminal, b"got hello")
    assert status_of(process) == 0


def stop_and_go_on(program):
    """Ctrl-Z stops command and run, fg lets both go on."""
    shell, terminal = spawn(["/bin/bash", "--norc", "-i"], {**os.environ, "PS1": "P> "})
    read_until(terminal, b"P> ")
    os.write(terminal, (program + " run --family esp32 -- sh -c 'echo a-$((1+1)); read x; echo b-$((1+1))'\n").encode())
    read_until(terminal, b"a-2")
    os.write(terminal, b"\x1a")
    read_until(terminal, b"Stopped")
    os.write(terminal, b"fg\n")
    read_until(terminal, b"espurr-sim run")
    os.write(terminal, b"word\n")
    read_until(terminal, b"b-2")
    os.write(terminal, b"echo status-$?\n")
    read_until(terminal, b"status-0")
    os.write(terminal, b"exit\n")
    status_of(shell)


def main():
    program = os.path.abspath(sys.argv[1])
    for check in (interrupt, read_input, stop_and_go_on):
        check(program)
        print("passed", check.__name__)


if __name__ == "__main__":
    main()
