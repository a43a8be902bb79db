"""What ends a family whose parent was killed."""

from __future__ import annotations

import os
import subprocess
import sys
from uuid import uuid4

from tests.processes import has_ended
from workbench.io.processes.family import MARK_VARIABLE

KEEPER = "workbench.io.processes.keeper"


def test_a_parent_that_is_gone_before_it_named_the_leader() -> None:
    mark = uuid4().hex
    environment = {**os.environ, MARK_VARIABLE: mark}
    with subprocess.Popen(["sleep", "60"], env=environment) as child:
        # Its standard input has ended before it begins to read.
        command = [sys.executable, "-m", KEEPER, mark]
        subprocess.run(command, stdin=subprocess.DEVNULL, check=True, timeout=60)
        assert child.wait(1) < 0


def test_it_ends_those_of_another_mark_only_if_they_are_in_the_session() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        command = [sys.executable, "-m", KEEPER, uuid4().hex]
        for leader, is_ended in (("", False), (f"{child.pid}\n", True)):
            subprocess.run(command, input=leader, text=True, check=True, timeout=60)
            assert has_ended(child.pid) is is_ended
