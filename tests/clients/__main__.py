"""``python -m tests.clients [--write] [--offline] [--jobs N] [--keep-versions] [CLIENT…]``: the
newest clients of PyPI and npm under ``workbench run``, each as its own quick start uses it.

It needs node, npm and a network, and is no part of the test suite. Each client runs an agent of two
tool calls, streamed and not, and asks for structured output, or fills a store of vectors, as far as
it can: what a run misses is promoted, until a run has no miss. Prints the tables of the manual's
page about clients; ``--write`` also keeps the results for that page. ``--offline`` runs them with
that option and what looks like real keys; a client that asks another machine fails. Exits with 1 if
any client fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final

import tests.clients.agents  # noqa: F401 - each of its modules adds its clients
from tests.clients.client import PYTHON, Client
from tests.clients.installing import JAVASCRIPT, InstallError, install, versions
from tests.clients.programs import PROGRAMS
from tests.clients.results import Result, keep
from tests.clients.trying import OK, tried
from tests.manual.generated import tables_of_clients

# What runs JavaScript beside Node.js, and a client that is tried in each.
_RUNTIMES: Final = {"bun": "bun", "deno": "deno run --allow-all --node-modules-dir=manual"}
_IN_ALL_RUNTIMES: Final = "ai-google-intercepted"


def of_javascript() -> dict[str, Client]:
    """The clients for JavaScript, by name: their agents tell them."""
    done = subprocess.run(["node", str(JAVASCRIPT)], capture_output=True, text=True, check=True)
    clients = {}
    for row in json.loads(done.stdout):
        tuples = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
        line = f'node "$INSTALLED/{JAVASCRIPT.name}" {row["name"]} "$MODE"'
        client = Client(**{**row, **tuples}, line=line, language="JavaScript")
        clients[client.name] = client
    for runtime, command in _RUNTIMES.items():
        client = clients[_IN_ALL_RUNTIMES]
        name, line = f"{client.name}-{runtime}", client.line.replace("node", command, 1)
        packages = (*client.packages, runtime)
        clients[name] = replace(client, name=name, line=line, packages=packages)
    return clients


def result_of(client: Client, *, update: bool, is_kept: bool, is_offline: bool) -> Result | None:
    """Install and try a client, and print what came of it; None if it cannot be installed.

    Args:
        is_kept: for the manual.
        is_offline: with ``--offline``.
    """
    try:
        install(client, update=update)
    except (InstallError, subprocess.TimeoutExpired) as error:
        print(f"{client.name}: {error}", flush=True)
        return None
    outcomes = tried(client, is_offline=is_offline)
    for mode, outcome in outcomes.items():
        print(f"{client.name}, {mode}: {outcome}", flush=True)
    result = Result(
        client=client.name,
        language=client.language,
        api=client.api,
        versions=versions(client),
        part=client.part,
        needs="`--intercept`" if client.intercept else client.needs,
        works={mode: outcome == OK for mode, outcome in outcomes.items()},
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )
    if is_kept:
        keep(result)
    return result


def main() -> int:
    clients = {**of_javascript(), **PYTHON, **PROGRAMS}
    parser = argparse.ArgumentParser(prog="python -m tests.clients")
    parser.add_argument("--write", action="store_true", help="keep the results for the manual")
    parser.add_argument(
        "--offline", action="store_true", help="see that they ask no other machine; needs strace"
    )
    parser.add_argument("--jobs", type=int, default=2, help="so many at once (default: 2)")
    parser.add_argument(
        "--keep-versions", action="store_true", help="do not update what is installed"
    )
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help="default: all")
    args = parser.parse_args()
    if unknown := set(args.clients) - clients.keys():
        parser.error(
            f"no such client: {', '.join(sorted(unknown))}; there are {', '.join(clients)}"
        )
    if args.offline and shutil.which("strace") is None:
        parser.error("--offline needs strace")
    chosen = [clients[name] for name in args.clients or clients]
    result = partial(
        result_of,
        update=not args.keep_versions,
        is_kept=args.write,
        is_offline=args.offline,
    )
    with ThreadPoolExecutor(args.jobs) as threads:
        results = [each for each in threads.map(result, chosen) if each]
    print(tables_of_clients(results))
    works = [works for result in results for works in result.works.values()]
    return int(len(results) < len(chosen) or not all(works))


if __name__ == "__main__":
    sys.exit(main())
