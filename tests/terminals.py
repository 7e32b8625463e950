"""Programs at a terminal of their own, as a person has it in front of them."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, call: list[str], folder: Path) -> None:
        self._master, slave = pty.openpty()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TERM": "dumb",
            "PS1": "$ ",
        }
        self.process = subprocess.Popen(
            call, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.text = ""

    def type(self, keys: str, until: str) -> str:
        """Type something, and wait until some text shows up in what follows."""
        self.text = ""
        os.write(self._master, keys.encode())
        end = time.monotonic() + 30
        while until not in self.text and time.monotonic() < end:
            if select.select([self._master], [], [], 1)[0]:
                self.text += os.read(self._master, 1 << 16).decode(errors="replace")
        assert until in self.text, self.text
        return self.text

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)
