"""``workbench replay``: continue from a checkpoint with recorded replies."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from workbench.cli.arguments import add_format, filled, path, whole_number
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_json, print_line, print_message, print_result
from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import NewerFormatError
from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.testing import (
    Checkpoint,
    CheckpointError,
    MissingReplyError,
    Replayed,
    Run,
    replay,
)
from workbench.testing.recordings.values import NotAValueError, encode

HELP: Final = CommandHelp(
    page="recording",
    examples={
        "workbench replay checkpoint.json --step app:step": "continue with the function step of "
        "app.py, and compare its state with the recorded one",
        "workbench replay checkpoint.json --step app:step --max-iterations 1": "stop after one "
        "call",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", type=path, metavar="CHECKPOINT", help="checkpoint file")
    parser.add_argument(
        "--step",
        required=True,
        metavar="MODULE:FUNCTION",
        help="function that takes the state of the application and returns the next state",
    )
    parser.add_argument(
        "--max-iterations",
        type=whole_number,
        default=5,
        metavar="N",
        help="call the step at most N times (default: 5)",
    )
    parser.add_argument(
        "--no-verify",
        dest="verify",
        action="store_false",
        help="do not compare the resulting state with the recorded state",
    )
    parser.add_argument(
        "--run",
        type=filled,
        metavar="RUN",
        help="answer from this recording (path, id or name), such as a fork",
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    step, begun = _step(args.step), 0

    def counting(state: Any) -> Any:
        nonlocal begun
        begun += 1
        return step(state)

    chosen = _run(args.run) if args.run else None
    checkpoint = _checkpoint(args.checkpoint)
    try:
        replayed = replay(checkpoint, counting, args.max_iterations, verify=args.verify, run=chosen)
    except (MissingReplyError, NotAValueError) as error:
        print_message("error", str(error))
        if begun > 1 and isinstance(error, MissingReplyError):
            before = counted(begun - 1, "iteration")
            print_message("note", f"{before} worked; --max-iterations {begun - 1} stops there")
        return EXIT_FINDINGS
    except (CheckpointError, FormatError) as error:
        raise UserError(str(error)) from None
    except KeyboardInterrupt:
        raise
    except BaseException:
        # A failure of the application itself, which may be what the user is looking for.
        _print_traceback()
        return EXIT_FINDINGS
    _print(replayed, args.format)
    return EXIT_OK if replayed.holds else EXIT_FINDINGS


def _print_traceback() -> None:
    for line in traceback.format_exc().splitlines():
        print_line(line)


def _checkpoint(path: Path) -> Checkpoint:
    try:
        return Checkpoint.load(path)
    except (CheckpointError, FileNotFoundError, IsADirectoryError) as error:
        raise UserError(str(error)) from None
    except NewerFormatError as error:
        raise UserError(f"{path}: {error}") from None


def _run(name: str) -> Run:
    try:
        return Run.load(name)
    except (LookupError, FormatError) as error:
        raise UserError(f"--run: {error}") from None


def _step(name: str) -> Callable[[Any], Any]:
    """The function of that name, from the working directory or from installed packages."""
    module_name, colon, function = name.partition(":")
    if not (module_name and colon and function) or module_name.startswith("."):
        raise UserError(f"--step {name}: expected MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())
    try:
        step: Any = importlib.import_module(module_name)
        for part in function.split("."):
            step = getattr(step, part)
    except SystemExit as error:
        ends = f"it ends the program when it is imported (exit status {error.code})"
        raise UserError(f"--step {name}: {_place(error)}{ends}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of the application; pytest.skip() raises no Exception
        reason = " ".join(str(error).split())
        if not isinstance(error, ImportError | AttributeError):
            reason = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
        raise UserError(f"--step {name}: {_place(error)}{reason}") from None
    if not callable(step):
        raise UserError(f"--step {name}: it is not a function")
    return step  # type: ignore[no-any-return]


def _place(error: BaseException) -> str:
    """``FILE, line N: `` where an application's own code failed; "" outside of it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: "
    others = ("<", importlib.__file__, __file__)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(others)]
    return f"{own[-1].filename}, line {own[-1].lineno}: " if own else ""


def _print(replayed: Replayed, form: str) -> None:
    problems = list(replayed.problems())
    if form == "json":
        print_json(
            {
                "iterations": replayed.iterations,
                "complete": replayed.is_complete,
                "verified": replayed.verified,
                "problems": problems,
                "before": replayed.before,
                "state": encode(replayed.state, "state"),
            }
        )
        return
    end = "complete" if replayed.is_complete else "not complete yet"
    print_result(f"{counted(replayed.iterations, 'iteration')}, {end}")
    for line in _summary(replayed.before, encode(replayed.state, "state")):
        print_result(f"  {line}")
    for problem in problems:
        print_result(problem)
    if replayed.verified is not None and not replayed.differences:
        print_result(f"The state is as recorded after iteration {replayed.verified}.")


def _summary(before: Any, after: Any) -> list[str]:
    """The change of each key of the state."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return [f"{_shown(before)} -> {_shown(after)}"]
    keys = [*before, *(key for key in after if key not in before)]
    return [
        f"{key}: {_shown(before.get(key))}"
        + ("" if before.get(key) == after.get(key) else f" -> {_shown(after.get(key))}")
        for key in keys
    ]


def _shown(value: Any) -> str:
    if isinstance(value, list | dict) and len(value) > 3:
        return f"{len(value)} {'items' if isinstance(value, list) else 'keys'}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
