"""``python`` and ``pytest`` for the commands of a page, forked from a process that has imported the
client of OpenAI, which takes longer than all that most pages do with it.

What a command finds under these names are scripts. They have the program run by a server, with the
streams, the folder and the environment of the command.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import BaseRequestHandler, ForkingMixIn, UnixStreamServer
from typing import Final

import pytest

SCRIPT: Final = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    program = json.dumps([sys.argv, os.getcwd(), dict(os.environ)])
    socket.send_fds(server, [program.encode()], [0, 1, 2])
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(16) or 1))
"""


@contextmanager
def forked_programs(folder: Path) -> Iterator[Path]:
    """Run the server; yields the folder of the scripts."""
    address = str(folder / "socket")
    for name in ("python", "pytest"):
        script = folder / name
        script.write_text(SCRIPT.format(python=sys.executable, address=address))
        script.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        descriptor = listener.fileno()
        server = subprocess.Popen(
            [sys.executable, "-m", __name__, str(descriptor)],
            pass_fds=[descriptor],
            start_new_session=True,
        )
    try:
        yield folder
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # and what it still runs
        server.wait()


class Server(ForkingMixIn, UnixStreamServer):
    """Each request is a program, run in a process of its own."""

    def verify_request(self, request: object, client_address: object) -> bool:  # noqa: ARG002
        """Load what programs need before the first is forked: a client loads more when made."""
        from openai import OpenAI

        OpenAI(api_key="none").close()
        return True


class Program(BaseRequestHandler):
    """Runs the program; the reply is its exit code."""

    def handle(self) -> None:
        begun, descriptors, *_ = socket.recv_fds(self.request, 2**16, 3)
        rest = self.request.makefile("rb").read()
        arguments, folder, environment = json.loads(begun + rest)
        for stream, descriptor in enumerate(descriptors):
            os.dup2(descriptor, stream)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        try:
            code = run(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        self.request.sendall(str(int(code)).encode())


def run(arguments: list[str]) -> int:
    """Run a program as its command would; returns its exit code."""
    if Path(arguments[0]).name == "pytest":
        sys.argv = arguments
        sys.path[0] = str(Path(arguments[0]).parent)
        return pytest.console_main()
    sys.argv = arguments[1:]
    sys.path[0] = str(Path(sys.argv[0]).absolute().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    with Server("", Program, bind_and_activate=False) as server:
        server.socket = socket.socket(fileno=int(sys.argv[1]))
        server.serve_forever()
