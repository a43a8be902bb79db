"""Edit text in ``$EDITOR``."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

from textual.app import App, SuspendNotSupported

from workbench.io.files.atomic import write_atomic
from workbench.io.state_folder import StateFolder


class EditorFailedError(Exception):
    """The text was not edited; the message is the reason."""


def edit(app: App[None], state_folder: StateFolder, name: str, text: str, *, instead: str) -> str:
    """Open ``text`` in ``$VISUAL`` or ``$EDITOR``. Return the edited text.

    Args:
        name: the name of the temporary file; its suffix tells the editor the type.
        instead: a sentence for the error if no editor is set.

    Raises:
        EditorFailedError: no editor is set, it failed, or its file cannot be read.
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
            f"The editor wrote text that is not UTF-8 (byte {error.start}): the draft is unchanged."
        ) from None
    except FileNotFoundError:
        raise EditorFailedError("The editor deleted the file: the draft is unchanged.") from None
    except (OSError, ValueError) as error:
        raise EditorFailedError(f"The editor cannot be used: {error}") from None
    except SuspendNotSupported:
        raise EditorFailedError("This terminal cannot be handed to another program.") from None


def _run(command: list[str]) -> str:
    """Run the editor; returns what went wrong, or "". An exception here would leave the
    application suspended.
    """
    try:
        editor = subprocess.Popen(command)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"cannot be run: {reason.lower()}"
    # Ctrl+C reaches both processes and is meant for the editor. Set after Popen, since the editor
    # would inherit it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ended = editor.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if ended < 0:
        return f"was killed by signal {-ended}: the draft is unchanged"
    return f"ended with {ended}: the draft is unchanged" if ended else ""


def _prepare(state_folder: StateFolder, name: str, text: str) -> Path:
    folder = state_folder.ensure() / "edit"
    folder.mkdir(exist_ok=True)
    file = folder / name
    write_atomic(file, text.encode("utf-8"))
    return file
