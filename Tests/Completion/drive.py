"""Types a line into a real interactive shell, presses Tab, and prints the line as the shell has completed it.

    drive.py bash|zsh|fish SCRIPT LINE

SCRIPT is the command's completion script. The folder and the environment are the caller's. Needs Python alone.
"""

import os
import pty
import select
import signal
import sys
import time

DEADLINE = 30
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source"),
    "fish": (["fish", "--no-config", "-i"], "source"),
}


class Shell:
    def __init__(self, words):
        self.seen = b""
        self.end = time.monotonic() + DEADLINE
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "dumb" if words[0] != "fish" else "xterm"
            os.execvp(words[0], words)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self):
        """False at the end."""
        left = self.end - time.monotonic()
        if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
            sys.exit("the shell did not answer in time: " + repr(self.seen[-400:]))
        try:
            piece = os.read(self.terminal, 4096)
        except OSError:
            return False
        self.seen += piece
        return bool(piece)

    def wait_for(self, text):
        while text.encode() not in self.seen and self.read():
            pass

    def finish(self):
        while self.read():
            pass
        os.waitpid(self.process, 0)

    def kill(self):
        os.kill(self.process, signal.SIGKILL)


def main(name, script, line):
    words, source = SHELLS[name]
    shell = Shell(words)
    try:
        # What is typed is echoed: the marks are broken up there.
        shell.type(f"{source} '{script}'; echo rea''dy\r")
        shell.wait_for("ready")
        # Ctrl-A is the line's start: the completed line becomes what echo prints.
        shell.type(f"{line}\t\x01echo mark''ed \r")
        shell.wait_for("marked ")
        shell.type("exit\r")
        shell.finish()
    except SystemExit:
        shell.kill()
        raise
    shown = shell.seen.decode(errors="replace").replace("\r", "\n").split("\n")
    print([text for text in shown if text.startswith("marked ")][-1][len("marked "):].rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
