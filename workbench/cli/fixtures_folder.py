"""Find the fixtures folder of a command, and warn about it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.arguments import path, resolve_settings
from workbench.cli.output import print_detail
from workbench.io.fixture.other_folder import is_other_folder
from workbench.io.state_folder import NAME as STATE_FOLDER

if TYPE_CHECKING:
    from workbench.io.logs.server_of_log import ServerOfLog
    from workbench.io.settings import Settings


def add_fixtures(parser: argparse.ArgumentParser, *, reads_log: bool = False) -> None:
    """Add ``--fixtures DIR``. For a command that reads a log, the folder may be taken from
    the log.
    """
    named = "the folder named in the log, else " if reads_log else ""
    parser.add_argument(
        "--fixtures",
        type=path,
        metavar="DIR",
        help=f"fixtures folder (default: the settings, else {named}./fixtures)",
    )


def settings_for(fixtures: Path | None, server: ServerOfLog | None = None) -> Settings:
    """The settings of a command, with the shortest path of the fixtures folder.

    If neither flags nor settings set the fixtures folder, it is taken from the log's listening
    line, if it exists: unchanged if absolute, else beside the log or in a folder above it. A folder
    that only a log mentions is never created.

    Args:
        fixtures: the folder from the command line.
        server: the server of the log which the command reads.

    Raises:
        UserError: a setting cannot be used.
    """
    from workbench.io.files.path_text import shown
    from workbench.io.settings import settings_file

    folder = server.folder if server is not None else None
    settings = resolve_settings({"fixtures": fixtures}, {"fixtures": folder} if folder else None)
    settings = settings._replace(fixtures=shown(settings.fixtures))
    if file := settings_file(Path.cwd()):
        print_detail(f"settings {shown(file)}")
    print_detail(f"fixtures folder {settings.fixtures}")
    return settings


def folder_warning(
    folder: Path,
    chosen: Path | None,
    server: ServerOfLog | None,
    *,
    creates: bool = False,
    writes: bool = False,
) -> str | None:
    """A warning, as part of a sentence, if the fixtures folder does not exist, because then every
    request counts as a miss, or if the log's server reads another one; else None.

    Args:
        chosen: the folder from the command line, which is right unless something is written.
        creates: the command creates the folder.
        writes: the command writes into the folder.
    """
    named = server.listening.fixtures if server else ""
    if creates and chosen is None and server and _may_be_misplaced(folder, server):
        project = server.log.absolute().parents[1]
        return (
            f"the folder {folder} is created in {Path.cwd()}; a server that workbench run started "
            f"in {project} does not read it; name the folder of that server with --fixtures DIR"
        )
    if not (creates or os.path.isdir(folder)):
        if chosen is not None or named == os.fspath(folder):
            return f"the folder {folder} does not exist yet; it is created with the first answer"
        reads = f"the server of the log reads {named}; " if named else ""
        missing = f"the folder {folder} does not exist yet"
        return f"{reads}{missing}; name another folder with --fixtures DIR"
    read = str(server.folder or named) if server else ""
    if (writes or chosen is None) and is_other_folder(read, folder):
        use = "" if chosen is not None else "; choose one with --fixtures DIR"
        return f"the server of the log reads {named}, not {folder}{use}"
    return None


def _may_be_misplaced(folder: Path, server: ServerOfLog) -> bool:
    """True if a folder would be created below the working directory, while the run of the log may
    have used a folder with the same name beside its log.
    """
    is_of_run = server.log.parent.name == STATE_FOLDER
    is_elsewhere = server.log.absolute().parents[1] != Path.cwd()
    has_name = os.fspath(folder) == os.path.normpath(server.listening.fixtures)
    return is_of_run and is_elsewhere and has_name and not folder.exists()
