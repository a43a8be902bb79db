"""What a command loads: no more than it needs, so that it starts at once."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests import reference
from tests.session.support import chat, missed
from workbench.core.digest import digest

HEAVY = {
    *("textual", "rich", "pydantic", "httpx", "jsonschema", "regex", "watchfiles", "uvicorn"),
    *("mcp", "trustme", "cryptography"),
}
SERVER = {"uvicorn", "uvloop", "httptools", "click", "h11"}
# The server has no use for these; uvicorn itself looks whether watchfiles is there.
TERMINAL = HEAVY - {"uvicorn", "watchfiles"}
TESTING = {"pytest", "_pytest", "hypothesis"}
# Runs a program and prints what it loaded, on standard error's last line.
TELL = """
import json, sys
before = set(sys.modules)
try:
    exec(sys.argv[1])
except SystemExit:
    pass
finally:
    print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def loaded(program: str, folder: Path, data: bytes = b"") -> set[str]:
    """The modules that ``program`` loads in a new interpreter."""
    ran = subprocess.run(
        [sys.executable, "-c", TELL, program], input=data, capture_output=True, cwd=folder
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return set(json.loads(ran.stderr.decode().rstrip("\n").split("\n")[-1]))


def loaded_by_command(folder: Path, *arguments: str, data: bytes = b"") -> set[str]:
    program = f"from workbench.cli.main import main; main({list(arguments)!r})"
    return loaded(program, folder, data)


def packages(modules: set[str]) -> set[str]:
    return {module.split(".")[0] for module in modules}


LIGHT_COMMANDS = [
    ["hash"],
    ["hash", "--jsonl"],
    ["hash", "--explain"],
    ["--help"],
    ["--version"],
    ["misses", str(reference.LOG)],
    ["misses", str(reference.LOG), "--format", "json", "--run", "last", "--fail"],
    ["misses", "--help"],
    ["promote", "--help"],
    ["ignore", "--help"],
    ["validate", "--help"],
    ["mcp", "--help"],
    ["serve", "--help"],
    ["preview"],
    ["preview", "--stream", "--request", "-"],
]


def test_what_these_commands_never_load(tmp_path: Path) -> None:
    """One after the other in one process, each with a request as standard input."""
    program = f"""
import io, sys
from contextlib import suppress
from workbench.cli.main import main
for arguments in {LIGHT_COMMANDS!r}:
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"{{}}\\n"))
    with suppress(SystemExit):
        main(arguments)
"""
    found = loaded(program, tmp_path)
    commands = {words[0] for words in LIGHT_COMMANDS if not words[0].startswith("--")}
    assert found >= {f"workbench.cli.commands.{command}" for command in commands}
    assert packages(found) & (HEAVY | TESTING | {"asyncio"}) == set()
    assert not {m for m in found if m.startswith(("workbench.tui", "workbench.server"))}


def test_help_loads_no_sockets(tmp_path: Path) -> None:
    found = loaded_by_command(tmp_path, "--help")
    assert "workbench.io.network.ports" in found
    assert not found & {"asyncio", "http.client", "selectors", "socket", "ssl"}


def test_completion_loads_no_library(tmp_path: Path) -> None:
    """It asks each command for its options; shells may run it whenever they start."""
    found = loaded_by_command(tmp_path, "completion", "bash")
    assert {
        f"workbench.cli.commands.{command}" for command in ("import_", "schema", "wait")
    } <= found
    assert packages(found) & (HEAVY | SERVER | TESTING | {"yaml"}) == {"pydantic"}


def test_promoting_a_text_loads_no_checker_of_schemas(tmp_path: Path) -> None:
    (tmp_path / "suite.log").write_text(missed(chat()))
    found = loaded_by_command(tmp_path, "promote", "suite.log", digest(chat()), "--content", "x")
    assert (tmp_path / "fixtures").exists()
    assert packages(found) & (HEAVY | TESTING) == set()


def test_the_server_knows_no_terminal_and_no_tests(tmp_path: Path) -> None:
    program = "import workbench.server.process, workbench.server.app\n"
    program += "import workbench.server.wire.uvicorn_config\n"
    found = loaded(program, tmp_path)
    assert packages(found) & (TERMINAL | TESTING) == set()
    assert not {m for m in found if m.startswith(("workbench.tui", "workbench.session"))}


def test_the_session_knows_no_user_interface(tmp_path: Path) -> None:
    program = "from workbench.session import session\n"
    program += "from workbench.session.drafts import drafting, editing\n"
    program += "from workbench.session.preview import verify\n"
    program += "from workbench.session.evals import reports\n"
    program += "from workbench.session.lists import list_query\n"
    program += "from workbench.session.recordings import index"
    found = loaded(program, tmp_path)
    assert packages(found) & (HEAVY | SERVER | TESTING) == set()
    allowed = ("workbench.session", "workbench.io", "workbench.core")
    assert not {m for m in found if m.startswith("workbench.") and not m.startswith(allowed)}


def test_the_digest_is_standard_library_alone(tmp_path: Path) -> None:
    found = loaded("import workbench.core.digest", tmp_path)
    own = {m for m in found if packages({m}) == {"workbench"}}
    parts = {m.split(".")[2] for m in own if m.startswith("workbench.core.")}
    assert parts == {"digest", "json", "request_body", "text"}
    assert packages(found - own) <= sys.stdlib_module_names


def test_importing_the_package_loads_nothing_else(tmp_path: Path) -> None:
    assert loaded("import workbench", tmp_path) - set(sys.stdlib_module_names) == {"workbench"}


def test_the_first_paint_loads_the_terminal_and_no_library_that_is_used_later(
    tmp_path: Path,
) -> None:
    found = packages(loaded("import workbench.tui.app", tmp_path))
    assert found & HEAVY == {"textual", "rich"}


def test_the_first_rows_load_no_editor_and_nothing_of_other_tabs(tmp_path: Path) -> None:
    """Nor what is imported where it is used, while a log of chat is read."""
    program = f"""
import workbench.tui.misses.tab, workbench.tui.services.services
from workbench.cli.logs import session_of
from workbench.session.misses.states import state_of
with session_of([{str(reference.LOG)!r}], None) as session:
    assert {{state_of(session, digest).kind for digest in session.miss_index.misses}}
"""
    found = loaded(program, tmp_path)
    assert packages(found) & HEAVY == {"textual", "rich"}
    later = {
        *("workbench.tui.workspace.subject_view", "workbench.tui.answer.editor"),
        *("workbench.session.preview.preview", "workbench.core.fixture.rules"),
        *("workbench.core.apis.chat.write", "workbench.core.recordings"),
        *("workbench.session.drafts.drafting", "workbench.session.fixture.index"),
        *("workbench.io.fixture.nearest_search", "workbench.core.requests.differences"),
        *("workbench.io.network.control_client", "workbench.tui.dialogs.questions"),
        *("workbench.core.apis.replies", "workbench.core.replies.answer"),
        *("workbench.core.apis.messages.request", "workbench.core.apis.gemini.request"),
        *("workbench.core.answering.lookup", "workbench.core.misses.record"),
        *("workbench.core.written.request", "workbench.core.written.credentials"),
        *("workbench.core.log.unfinished", "workbench.core.log.wrapped"),
        "workbench.session.suite.no_requests",
    }
    assert found & later == set()
    assert later <= loaded(f"import {', '.join(later)}", tmp_path)  # they are there


def test_what_is_not_to_be_loaded_is_there() -> None:
    # So that a renamed package makes no test above pass for ever.
    assert [name for name in HEAVY | SERVER | TESTING if find_spec(name) is None] == []


def test_a_run_is_written_without_pydantic_and_read_with_it(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from workbench.core.recordings.exchanges import Header
from workbench.io.recordings.journal import JournalWriter, read_header
JournalWriter(Path("a.jsonl"), Header("a", "a", "")).close()
assert "pydantic" not in sys.modules
assert read_header(Path("a.jsonl")).id == "a"
"""
    assert "pydantic" in packages(loaded(program, tmp_path))
