"""The commands that answer a request of this server, for the error that it gets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from workbench.core.answering.unanswered import (
    promote_command,
    rekey_line,
    run_command,
    secret_line,
)
from workbench.core.fixture.names import digest_of
from workbench.core.requests.view import RequestView
from workbench.io.command_options import finding, named, naming_folder


def ways_out(
    request: RequestView, log: Path | None, fixtures: Path, test: str, older: str
) -> Iterator[str]:
    """A line for each command, the best one first.

    Args:
        log: of the server; None if it has only standard error, where commands do not find requests.
        fixtures: the folder of the server.
        test: that sent the request, or "".
        older: the name of the fixture of an older form of the request, or "".
    """
    promote = ""
    if log is not None and (secret := secret_line(request)):
        yield secret
    elif log is not None:
        options = finding([named(log)], fixtures)
        if older:
            yield rekey_line(digest_of(older), request.digest, options)
        promote = promote_command(request, options)
    if promote:
        yield f"Answer it: {promote}"
    begin = "Or answer it while the test waits" if promote else "Answer it"
    folder = naming_folder(fixtures)
    # A test name may also be the name in a base URL; only a test file can be run.
    if "::" in test and os.path.isfile(test.partition("::")[0]):
        yield f"{begin}: {run_command(folder, test)}"
    elif not promote:
        yield f"{begin}: {run_command(folder)} (or the command of your suite)"
