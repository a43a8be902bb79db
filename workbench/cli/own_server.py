"""A server of our own, for the terminal application and for ``workbench run``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.output import print_message
from workbench.core.text.wording import sentence
from workbench.core.user_error import UserError
from workbench.io.files.path_text import error_text
from workbench.io.logs.newest_log import run_log_name
from workbench.io.network.ports import DEFAULT_PORT

if TYPE_CHECKING:
    from workbench.io.processes.server_process import ChildServer
    from workbench.io.settings import Settings
    from workbench.io.state_folder import StateFolder


@contextlib.contextmanager
def own_server(
    settings: Settings,
    state_folder: StateFolder,
    notes: list[str],
    folder: Path | None = None,
    *,
    arguments: Sequence[str] = (),
    is_run: bool = False,
) -> Iterator[ChildServer]:
    """A built-in server that ends with the context. Its socket listens, but it is not started.

    Args:
        notes: receives a sentence if the default port is in use, except with ``is_run``.
        folder: its working directory; default: the current one.
        arguments: further arguments of ``serve``.
        is_run: it is the server of ``workbench run``, which has a different log.
    """
    from workbench.io.network.ports import listen
    from workbench.io.processes.server_process import ChildServer

    try:
        state_folder.ensure()
        listener, taken = listen(settings.host, settings.port)
        port = listener.getsockname()[1]
        # Another workbench of this project has the default port and writes the default log.
        name = f"server-{port}.log" if taken else "server.log"
        server = ChildServer(
            listener,
            fixtures=settings.fixtures,
            log=state_folder.path / (run_log_name(port) if is_run else name),
            folder=folder,
            arguments=[*_profile(settings), *arguments],
        )
    except OSError as error:
        raise UserError(f"the server cannot start: {error_text(error)}") from None
    try:
        if taken and not is_run:  # a run passes the port to its suite
            note = f"port {DEFAULT_PORT} is in use; using {port}"
            print_message("note", note)
            notes.append(sentence(note))
        yield server
    finally:
        server.stop()


def _profile(settings: Settings) -> list[str]:
    """The profile as an argument: the server may run where other settings are."""
    return ["--profile", settings.profile] if settings.profile else []


def start(server: ChildServer) -> None:
    """Start a server of our own; in the terminal application after the first paint, which its
    imports would slow down. Raises UserError.
    """
    try:
        server.start()
    except OSError as error:
        raise UserError(f"the server cannot start: {error_text(error)}") from None
