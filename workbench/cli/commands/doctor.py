"""``workbench doctor``: show which settings, fixtures, server and log are in use, and problems."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import workbench
from workbench.cli.arguments import add_format
from workbench.cli.commands.wait import trouble
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import Painted, Progress, print_json, print_result
from workbench.core.text import shell
from workbench.core.text.wording import counted
from workbench.core.user_error import SettingsError
from workbench.io.command_options import naming_folder
from workbench.io.files.path_text import shown
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.newest_log import newest_log
from workbench.io.network.http_client import client
from workbench.io.network.ports import DEFAULT_PORT, address
from workbench.io.network.upstream_url import KEY_VARIABLE
from workbench.io.settings import SETTINGS, Settings, settings_file, sources
from workbench.io.state_folder import StateFolder
from workbench.session.fixture.validation import Validation

_DISTRIBUTION: Final = "llm-fixture-workbench"
_PATIENCE_SECONDS: Final = 1.0
_LABEL_WIDTH: Final = 12


HELP: Final = CommandHelp(
    page="troubleshooting",
    examples={
        "workbench doctor": "show which settings, fixtures, server and log are in use",
        "workbench doctor --format json": "print JSON, for a bug report or a program",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_fixtures(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    report = _report(args.fixtures)
    if args.format == "json":
        print_json(report)
    else:
        for label, text in _lines(report):
            print_result(f"{label:<{_LABEL_WIDTH}}{text}")
        for problem in report["problems"]:
            print_result(Painted(f"{'problem':<{_LABEL_WIDTH}}", "red"), problem)
    return EXIT_FINDINGS if report["problems"] else EXIT_OK


def _report(fixtures: Path | None) -> dict[str, Any]:
    problems: list[str] = []
    flags = {"fixtures": fixtures}
    try:
        settings, places = Settings.resolve(flags), sources()
    except SettingsError as error:
        problems.append(str(error))
        settings, places = Settings(fixtures=fixtures or Settings().fixtures), {}
    problems += [f"{place} {warning}" for place, warning in settings.passed_over]
    if fixtures is not None:
        places["fixtures"] = "--fixtures"
    file = settings_file(Path.cwd())
    return {
        "version": workbench.__version__,
        "python": {"version": platform.python_version(), "platform": platform.platform()},
        "libraries": _libraries(),
        "project": str(StateFolder.locate(Path.cwd()).path.parent),
        "settings_file": None if file is None else str(file),
        "settings": {
            key: {"value": _plain(getattr(settings, key)), "source": places.get(key, "default")}
            for key in SETTINGS
        },
        "upstream_key": bool(os.environ.get(KEY_VARIABLE, "").strip()),
        "fixtures": _fixtures(settings.fixtures, problems),
        "server": _server(settings),
        "log": _log(),
        "problems": problems,
    }


def _libraries() -> dict[str, str | None]:
    """The versions of the libraries that we need, None for one that is missing."""
    try:
        needed = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # run from its source, not installed
        return {}
    names = [re.split(r"[^\w.-]", line)[0] for line in needed if "extra ==" not in line]
    return {name: _version(name) for name in names}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _plain(value: object) -> Any:
    """The value of a setting as JSON has it."""
    if isinstance(value, Path):
        return str(shown(value))
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def _fixtures(folder: Path, problems: list[str]) -> dict[str, Any]:
    if not folder.is_dir():
        if folder.exists():
            problems.append(f"{shown(folder)} is not a folder")
        return {"folder": str(shown(folder)), "exists": False}
    validation = Validation([folder], StateFolder.locate(Path.cwd()))
    with Progress("Checking", validation.count) as progress:
        files = list(validation.run(progress))
    findings = Counter(finding.severity for file in files for finding in file.findings)
    if errors := findings["error"]:
        validate = shell.command(["workbench", "validate", *naming_folder(folder)])
        problems.append(f"{counted(errors, 'error')} in fixtures: {validate}")
    return {
        "folder": str(shown(folder)),
        "exists": True,
        "fixtures": len(FixtureStore(folder).fixtures()),
        "other_files": len(files) - len(FixtureStore(folder).fixtures()),
        "errors": errors,
        "warnings": findings["warning"],
    }


def _server(settings: Settings) -> dict[str, Any]:
    url = f"http://{address(settings.host, settings.port or DEFAULT_PORT)}"
    with client(_PATIENCE_SECONDS) as http:
        problem = trouble(http, url)
    return {"url": url, "running": not problem, "reason": problem or None}


def _log() -> dict[str, Any] | None:
    log = newest_log(Path.cwd())
    if log is None:
        return None
    status = log.stat()
    written = datetime.fromtimestamp(status.st_mtime).astimezone().isoformat(timespec="seconds")
    return {"path": str(shown(log)), "written": written, "bytes": status.st_size}


def _lines(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    python, fixtures, server, log = (report[key] for key in ("python", "fixtures", "server", "log"))
    yield "workbench", report["version"]
    yield "python", f"{python['version']} on {python['platform']}"
    listed = (f"{name} {version or 'missing'}" for name, version in report["libraries"].items())
    yield "libraries", ", ".join(listed) or "unknown: workbench is not installed"
    yield "project", report["project"]
    yield "settings", report["settings_file"] or "no pyproject.toml"
    for key, setting in report["settings"].items():
        value = setting["value"]
        text = "not set" if value in (None, "", [], {}) else json.dumps(value, ensure_ascii=False)
        yield "", f"{key} = {text}  ({setting['source']})"
    yield "", f"{KEY_VARIABLE} is {'' if report['upstream_key'] else 'not '}set"
    if fixtures["exists"]:
        counts = [
            counted(fixtures["fixtures"], "fixture"),
            counted(fixtures["errors"], "error"),
            counted(fixtures["warnings"], "warning"),
        ]
        yield "fixtures", f"{fixtures['folder']}: {', '.join(counts)}"
    else:
        yield "fixtures", f"{fixtures['folder']} does not exist yet"
    yield "server", f"{server['url']} {server['reason'] or 'is running'}"
    yield "log", f"{log['path']}, written {log['written']}" if log else "none yet"
