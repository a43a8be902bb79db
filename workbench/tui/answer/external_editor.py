"""Editing a text in ``$EDITOR``."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

from textual.app import App, SuspendNotSupported

from workbench.io.atomic import write_atomic
from workbench.io.state_folder import StateFolder


class EditorFailedError(Exception):
    """Nothing was taken over; the text says why."""


def edit(app: App[None], state_folder: StateFolder, name: str, text: str, *, instead: str) -> str:
    """Let the person edit ``text`` in ``$VISUAL`` or ``$EDITOR``; returns what it became.

    Args:
        name: of the file that is edited; its ending tells the editor what it is.
        instead: a sentence on what there is where no editor is named.

    Raises:
        EditorFailedError: there is no editor, it failed, or what it left cannot be read.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        arguments = shlex.split(command)
        if not arguments:
            raise EditorFailedError(f"No $EDITOR set. {instead}")
        file = _prepare(state_folder, name, text)
        with app.suspend():
            trouble = _run([*arguments, str(file)])
        if trouble:
            raise EditorFailedError(f"{Path(arguments[0]).name} {trouble}.")
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise EditorFailedError(
            f"The editor left what is not UTF-8 (byte {error.start}): nothing taken over."
        ) from None
    except FileNotFoundError:
        raise EditorFailedError("The editor left no file: nothing taken over.") from None
    except (OSError, ValueError) as error:
        raise EditorFailedError(f"The editor cannot be used: {error}") from None
    except SuspendNotSupported:
        raise EditorFailedError("This terminal cannot be handed to another program.") from None


def _run(command: list[str]) -> str:
    """Run the editor; returns what is wrong, "" for nothing. Raises nothing: an application that
    is left by an exception while it is suspended stays suspended.
    """
    try:
        editor = subprocess.Popen(command)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"cannot be run: {reason.lower()}"
    # Ctrl+C goes to both and is the editor's alone; set only now, since it would inherit this.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ended = editor.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if ended < 0:
        return f"was killed by signal {-ended}: nothing taken over"
    return f"ended with {ended}: nothing taken over" if ended else ""


def _prepare(state_folder: StateFolder, name: str, text: str) -> Path:
    folder = state_folder.ensure() / "edit"
    folder.mkdir(exist_ok=True)
    file = folder / name
    write_atomic(file, text.encode("utf-8"))
    return file
