"""A command at a pseudo-terminal, which is answered once where it asks.

    python3 Tests/Terminal/answer.py QUESTION ANSWER COMMAND…

Waits for the text QUESTION, types the line ANSWER (where it is a control character, Ctrl-C for example, no Enter follows),
prints everything that was shown, and ends with the command's status. Python's standard library alone.
"""

import os
import pty
import select
import sys
import time

DEADLINE = 60


def main(question, answer, *command):
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], command)
    shown, is_answered = b"", False
    end = time.monotonic() + DEADLINE
    while True:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit("the command did not end in time: " + repr(shown))
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
        if not is_answered and question.encode() in shown:
            is_answered = True
            os.write(terminal, answer.encode() + (b"" if answer < " " else b"\n"))
    sys.stdout.write(shown.decode("utf-8", "replace").replace("\r\n", "\n"))
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
