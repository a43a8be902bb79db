"""Editing a text in ``$EDITOR``."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from textual.app import App, SuspendNotSupported

from workbench.io.atomic import write_atomic
from workbench.io.state_folder import StateFolder


class EditorFailedError(Exception):
    """Nothing was taken over; the text says why."""


def edit(app: App[None], state_folder: StateFolder, name: str, text: str) -> str:
    """Let the person edit ``text`` in ``$VISUAL`` or ``$EDITOR``; returns what it became.

    Args:
        name: of the file that is edited; its ending tells the editor what it is.

    Raises:
        EditorFailedError: there is no editor, it failed, or what it left cannot be read.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise EditorFailedError("No $EDITOR set. Using the built-in editor.")
    try:
        file = _prepare(state_folder, name, text)
        with app.suspend():
            ended = subprocess.run([*shlex.split(command), str(file)], check=False)
        if ended.returncode:
            raise EditorFailedError(
                f"{Path(shlex.split(command)[0]).name} ended with {ended.returncode}: "
                "nothing taken over."
            )
        return file.read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        raise EditorFailedError(f"The editor cannot be used: {error}") from None
    except SuspendNotSupported:
        raise EditorFailedError("This terminal cannot be handed to another program.") from None


def _prepare(state_folder: StateFolder, name: str, text: str) -> Path:
    folder = state_folder.ensure() / "edit"
    folder.mkdir(exist_ok=True)
    file = folder / name
    write_atomic(file, text.encode("utf-8"))
    return file
