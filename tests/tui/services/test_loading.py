"""What the running application loads late, and where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.recorded import write_recording

# Prints which thread loaded pydantic, and whether that and the HTTP client are loaded, although
# nothing listens on that port: when the first screen was drawn, and when a recording was listed.
TELL = """
import asyncio, shutil, sys, threading
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
        await running.until(lambda: running.session.server.is_up is False)
        print(threads, "pydantic" in sys.modules, "httpx" in sys.modules)
        recordings = running.folder / ".workbench" / "runs"
        recordings.mkdir(parents=True, exist_ok=True)
        shutil.copy(sys.argv[2], recordings)
        await running.until(lambda: "aa" in running.session.recordings.recordings)
        await running.press("3")
        await running.until_shown("get_weather")
        print(threads, "pydantic" in sys.modules, "httpx" in sys.modules)

asyncio.run(run())
"""


def told(*arguments: object) -> list[str]:
    program = [sys.executable, "-c", TELL, *map(str, arguments)]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_libraries_are_loaded_when_there_is_use_for_them(tmp_path: Path) -> None:
    """Without recordings and server theirs are not loaded; a thread loads those of recordings."""
    recorded = write_recording(tmp_path / "recorded", "aa")
    shown, with_run = told(tmp_path, recorded)
    assert shown == "[] False False"
    assert with_run == "['thread'] True False"
