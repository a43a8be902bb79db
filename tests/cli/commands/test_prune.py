"""``workbench prune``."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.cli.running import Project
from tests.equivalent_requests import conversation
from tests.session.support import chat, missed, second_turn, tool
from tests.terminal import WORKBENCH, Terminal
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import variant_name
from workbench.core.log.lines import (
    listening_line,
    served_line,
    suite_ended_line,
    suite_started_line,
)

USED, UNUSED, OTHER = chat("used"), chat("unused"), chat("another unused one")
ENDED = suite_started_line() + served_line(digest(USED)) + suite_ended_line(0)
RUN_IT = "Run the whole suite: workbench run -- COMMAND"


@pytest.fixture
def pruned(project: Project) -> Project:
    """A project whose fixtures are committed, and one of them is used."""
    for request in (USED, UNUSED, OTHER):
        add(project, request)
    commit(project)
    project.write_log(ENDED)
    return project


def add(project: Project, request: dict[str, Any], name: str = "") -> None:
    name = name or digest(request)
    project.fixtures.mkdir(exist_ok=True)
    made = new_document(digest(request), {"content": "x"}, request=request)
    (project.fixtures / f"{name}.json").write_text(made.text)


def commit(project: Project) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    for words in (("init", "-q"), ("add", "fixtures"), ("commit", "-q", "-m", "x")):
        subprocess.run(["git", *identity, *words], cwd=project.folder, check=True)


def prune(project: Project, *words: str) -> Any:
    return project.run("prune", "--log", project.log, *words)


def unused(project: Project) -> set[str]:
    return {row["digest"] for row in prune(project, "--format", "json").rows["unused"]}


def left(project: Project) -> set[str]:
    return {name.removesuffix(".json") for name in project.files()}


def test_unused_fixtures_are_listed_and_deleted_when_told(pruned: Project) -> None:
    for words in (("--dry-run",), ()):
        ran = prune(pruned, *words)
        assert ran.code == 0
        assert sorted(line[:12] for line in ran.out.splitlines()) == sorted(
            digest(request)[:12] for request in (UNUSED, OTHER)
        )
        assert "→ x" in ran.out
        assert ran.out.count("no turn of its conversation was requested") == 2
        assert f"2 of 3 fixtures unused by the requests in {pruned.log}\n" in ran.err
        assert ("delete them with --yes" in ran.err) == (not words)
        assert len(pruned.files()) == 3
    ran = prune(pruned, "--yes")
    assert ran.code == 0
    assert ran.err.endswith("note: deleted 2 fixtures\n")
    assert left(pruned) == {digest(USED)}
    assert prune(pruned, "--yes").code == 0


def test_what_git_does_not_have_is_kept(pruned: Project) -> None:
    changed = pruned.fixtures / f"{digest(OTHER)}.json"
    changed.write_text(changed.read_text() + "\n")
    add(pruned, chat("untracked"))
    ran = prune(pruned, "--yes")
    assert ran.code == 1
    assert "2 files kept, because they are not in a commit of git" in ran.err
    assert left(pruned) == {digest(r) for r in (USED, OTHER, chat("untracked"))}
    changed.unlink()
    assert "1 file kept, because it is not in a commit" in prune(pruned).err
    subprocess.run(["git", "add", "fixtures"], cwd=pruned.folder, check=True)
    assert prune(pruned, "--yes").code == 1
    assert prune(pruned, "--yes", "--force").code == 0
    assert left(pruned) == {digest(USED)}


def test_without_git_nothing_is_deleted_but_by_force(project: Project) -> None:
    add(project, UNUSED)
    project.write_log(ENDED)
    assert prune(project, "--yes").code == 1
    assert left(project) == {digest(UNUSED)}
    assert prune(project, "--yes", "--force").code == 0
    assert left(project) == set()


def test_json_says_what_was_done(pruned: Project) -> None:
    add(pruned, chat("untracked"))
    rows = prune(pruned, "--format", "json", "--yes").rows
    assert (rows["logs"], rows["requests"]) == ([str(pruned.log)], 1)
    done = {row["digest"]: (row["committed"], row["deleted"]) for row in rows["unused"]}
    assert done == {
        digest(UNUSED): (True, True),
        digest(OTHER): (True, True),
        digest(chat("untracked")): (False, False),
    }
    assert all(row["reason"] and row["question"] for row in rows["unused"])


def test_fixtures_that_a_request_would_use_are_kept(project: Project) -> None:
    tools = chat("used", tools=[tool()])
    yesterday, today = (chat(f"News of 2026-11-{day}, please.") for day in (19, 20))
    later = {**yesterday, "messages": [*yesterday["messages"], *second_turn()["messages"][1:]]}
    for request in (USED, UNUSED, yesterday, later):
        add(project, request)
    add(project, tools, variant_name(digest(tools), view(tools)))
    ignored, missing = chat("ignored"), chat("missed before it was saved")
    add(project, ignored)
    add(project, missing)
    (project.fixtures / "workbench-ignore.txt").write_text(f"{digest(ignored)} on purpose\n")
    project.write_log(ENDED, missed(missing, today))
    assert unused(project) == {digest(UNUSED)}
    assert "1 request in" in prune(project).err


def test_the_fixture_of_an_equivalent_request_is_used(project: Project) -> None:
    own, asked = conversation("stub"), conversation("openai")
    add(project, own)
    add(project, UNUSED)
    project.write_log(served_line(digest(own), equivalent_to=digest(asked)))
    assert unused(project) == {digest(UNUSED)}
    project.write_log(served_line(digest(USED)), missed(asked))
    assert unused(project) == {digest(UNUSED)}


def test_another_turn_of_a_conversation_is_a_reason(project: Project) -> None:
    add(project, chat())
    add(project, second_turn())
    project.write_log(served_line(digest(chat())))
    assert "requested, turn 2 was not" in prune(project).out


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (suite_started_line() + served_line(digest(USED)), "has not ended, or it was killed"),
        (ENDED.replace("code 0", "code 130"), "the suite ended early, with exit code 130"),
        (ENDED.replace("code 0", "code 2"), "the suite ended early, with exit code 2"),
        (missed(USED), "names a used fixture"),
        (suite_started_line() + suite_ended_line(0), "contains no requests"),
        (served_line(digest(USED)) + listening_line("http://x", "/elsewhere"), "/elsewhere"),
        ("", "does not look like a server log"),
        ("all is well\n", "does not look like a server log"),
    ],
)
def test_a_log_that_does_not_tell_is_refused(pruned: Project, log: str, why: str) -> None:
    pruned.write_log(log)
    ran = prune(pruned, "--yes", "--force")
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert len(pruned.files()) == 3


def test_a_suite_that_failed_is_told(pruned: Project) -> None:
    pruned.write_log(ENDED.replace("code 0", "code 1"))
    ran = prune(pruned)
    assert ran.code == 0
    assert "the suite failed" in ran.err


def test_no_log_is_refused_and_those_of_mocks_are_read(pruned: Project) -> None:
    pruned.log.unlink()
    ran = pruned.run("prune", "--yes")
    assert (ran.code, "there is no log" in ran.err) == (2, True)
    assert len(pruned.files()) == 3
    state = pruned.folder / ".workbench"
    state.mkdir()
    used = suite_started_line() + served_line(digest(OTHER))
    for end, why in (("", "has not ended"), (suite_ended_line(2), "the suite ended early")):
        (state / "pytest-used.log").write_text(used + end)
        ran = pruned.run("prune", "--yes")
        assert (ran.code, why in ran.err) == (2, True)
    (state / "pytest-used.log").write_text(used + suite_ended_line(0))
    rows = pruned.run("prune", "--format", "json").rows
    assert {row["digest"] for row in rows["unused"]} == {digest(USED), digest(UNUSED)}
    (state / "run.log").write_text(ENDED)
    rows = pruned.run("prune", "--format", "json").rows
    assert {row["digest"] for row in rows["unused"]} == {digest(UNUSED)}
    assert rows["logs"] == [".workbench/run.log", ".workbench/pytest-used.log"]


def test_a_terminal_is_asked(pruned: Project) -> None:
    for answer, count in (("n", 3), ("y", 1)):
        words = [*WORKBENCH, "prune", "--log", str(pruned.log)]
        with Terminal(words, folder=pruned.folder) as terminal:
            terminal.wait_for("Delete 2 fixtures? [y/N]")
            terminal.type(f"{answer}\n")
            assert terminal.wait_for_end() == 0
        assert len(pruned.files()) == count
