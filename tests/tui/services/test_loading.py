"""What the running application loads late, and where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.recorded import write_run

# Prints which thread loaded pydantic, when the first screen was drawn and when a run was listed;
# and whether the HTTP client was loaded, although nothing listens on that port.
TELL = """
import asyncio, sys, threading
from pathlib import Path
from tests.tui.running import application

threads = []

class Told:
    def find_spec(self, name, path=None, target=None):
        if name == "pydantic":
            threads.append("loop" if threading.current_thread() is threading.main_thread()
                           else "thread")

async def run():
    sys.meta_path.insert(0, Told())
    url = "http://127.0.0.1:9"
    async with application(Path(sys.argv[1]), [], server_url=url) as running:
        await running.until(lambda: running.session.server_up is False)
        if len(sys.argv) > 2:
            await running.until(lambda: sys.argv[2] in running.session.runs.runs)
            await running.press("3")
            await running.until_shown("get_weather")
        print(threads, "pydantic" in sys.modules, "httpx" in sys.modules)

asyncio.run(run())
"""


def told(*arguments: object) -> str:
    program = [sys.executable, "-c", TELL, *map(str, arguments)]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_project_without_runs_and_server_is_shown_without_their_libraries(tmp_path: Path) -> None:
    assert told(tmp_path) == "[] False False\n"


def test_runs_are_checked_by_pydantic_which_a_thread_loads(tmp_path: Path) -> None:
    write_run(tmp_path / ".workbench" / "runs", "aa")
    assert told(tmp_path, "aa") == "['thread'] True False\n"
