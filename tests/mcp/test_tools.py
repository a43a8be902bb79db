"""The tools in this process: what they read, how long their results are, and what they write."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial

import pytest

from tests.cli.running import Project
from tests.mcp.agent import Agent
from tests.session.support import chat, missed
from workbench.cli.commands.mcp import opened_session
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.events import LogEvent
from workbench.core.log.lines import listening_line
from workbench.core.log.reader import LogParser
from workbench.io.logs.kept_logs import KeptLogs

OLD = chat("What is new on 2026-11-19?")
NEW = chat("What is new on 2026-11-20?")


def ask(project: Project, work: Callable[[Agent], Awaitable[None]]) -> None:
    """Let an agent work with a server that reads the log of a project."""

    from mcp import Client

    from workbench.mcp.server import build

    async def connected(kept: KeptLogs) -> None:
        server = build(partial(opened_session, [project.log.name], None, None, kept))
        async with Client(server) as client:
            await work(Agent(client))

    with closing(KeptLogs()) as kept:
        asyncio.run(connected(kept))


def test_a_log_that_comes_later_is_read_then(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, feed = list[int](), LogParser.feed

    def counted(parser: LogParser, data: bytes) -> list[LogEvent]:
        sizes.append(len(data))
        return feed(parser, data)

    async def work(agent: Agent) -> None:
        said = await agent.error("list_misses")
        assert "There is no log suite.log yet, and --server is not set. Run the suite: " in said
        assert (await agent.call("validate"))["files"] == 0
        project.write_log(missed(OLD))
        monkeypatch.setattr(LogParser, "feed", counted)
        assert (await agent.call("list_misses"))["total"] == 1
        assert (await agent.call("show_request", digest=digest(OLD)))["variants"] == 1
        assert sizes == [len(missed(OLD))], "each byte is read once"
        assert "there is no server" in await agent.error("list_held")

    project.fixtures.mkdir()
    ask(project, work)


def test_rekey_writes_where_it_is_told_to(project: Project) -> None:
    project.write_log(missed(OLD))
    project.run("promote", project.log, digest(OLD), "--content", "Little.")
    project.write_log(missed(NEW))
    moved = [f"{digest(OLD)}.json"], [f"{digest(NEW)}.json"]

    async def work(agent: Agent) -> None:
        found = (await agent.call("explain", digest=digest(NEW)))["nearest"]
        assert (found["digest"], found["same_but_volatile"]) == (digest(OLD), True)
        for write, files in zip((False, True), moved, strict=True):
            done = await agent.call("rekey", write=write)
            assert (done["written"], done["rekeyed"][0]["new"]) == (write, digest(NEW))
            assert project.files() == files

    ask(project, work)


def test_all_with_the_same_change_are_moved_together(project: Project) -> None:
    olds, news = [], []
    for number in range(3):
        olds.append(chat(f"Question {number}: be brief."))
        news.append(chat(f"Question {number}: be polite."))
        project.write_log(missed(olds[-1]))
        project.run("promote", project.log, digest(olds[-1]), "--content", "Little.")
    project.write_log(missed(*news))

    async def work(agent: Agent) -> None:
        done = await agent.call("rekey", old=digest(olds[0]), new=digest(news[0]), write=True)
        assert len(done["rekeyed"]) == 1
        assert "Give like without" in await agent.error(
            "rekey", like=digest(news[0]), old=digest(olds[0]), new=digest(news[0])
        )
        for write in (False, True):
            done = await agent.call("rekey", like=digest(news[0]), write=write)
            assert (done["written"], len(done["rekeyed"])) == (write, 2)
            assert done["change"] == [{"before": "brief", "after": "polite"}]
        assert project.files() == sorted(f"{digest(new)}.json" for new in news)

    ask(project, work)


def test_a_request_that_is_too_large_is_stored_in_part_and_told(project: Project) -> None:
    project.settings("store_request_kib = 1")
    large = chat("x" * 2_000)
    project.write_log(missed(large))

    async def work(agent: Agent) -> None:
        done = await agent.call("promote", digest=digest(large), content="x", write=True)
        assert done["note"].startswith("The fixture leaves out the messages of its request")
        assert "messages" not in project.fixture(digest(large))["request"]

    ask(project, work)


def test_a_folder_that_the_server_of_the_log_does_not_read_is_told(project: Project) -> None:
    async def work(agent: Agent) -> None:
        asked = {"digest": digest(OLD), "content": "x", "write": True}
        said = "The server of the log reads e2e/fx, not fixtures."
        assert (await agent.call("promote", **asked))["warning"] == said
        assert (await agent.call("rekey", write=True))["warning"] == said
        project.write_log(listening_line("http://127.0.0.1:1", "./fixtures"), missed(OLD))
        assert "warning" not in await agent.call("promote", **asked, replace=True)

    project.write_log(listening_line("http://127.0.0.1:1", "e2e/fx"), missed(OLD))
    ask(project, work)


def test_fixtures_in_subfolders_alone_are_named(project: Project) -> None:
    async def work(agent: Agent) -> None:
        said = "All fixtures are in subfolders, where no server looks: fixtures/chat."
        assert said in await agent.error("validate")

    (project.fixtures / "chat").mkdir(parents=True)
    (project.fixtures / "chat" / f"{digest(OLD)}.json").write_text("{}")
    project.write_log(missed(OLD))
    ask(project, work)


def test_a_secret_is_saved_only_if_it_is_allowed(project: Project) -> None:
    project.write_log(missed(OLD))
    ask_for = chat("sk-proj-" + "a1B2c3D4e5" * 5)

    async def work(agent: Agent) -> None:
        asked = {"digest": digest(OLD), "content": "sk-proj-" + "a1B2c3D4e5" * 5}
        said = await agent.error("promote", **asked, write=True)
        assert "Not written: response.content contains what looks like an OpenAI API key" in said
        assert "allow_secret=true saves it." in said
        assert project.files() == []
        assert (await agent.call("promote", **asked, write=True, allow_secret=True))["written"]
        project.write_log(missed(ask_for))
        moved = {"old": digest(OLD), "new": digest(ask_for), "write": True}
        [left] = (await agent.call("rekey", **moved))["left_out"]
        assert left["reason"].endswith("It would be stored. allow_secret=true stores it.")
        assert project.files() == [f"{digest(OLD)}.json"]
        await agent.call("rekey", **moved, allow_secret=True)
        assert project.files() == [f"{digest(ask_for)}.json"]

    ask(project, work)


def test_results_are_bounded_and_long_texts_come_in_parts(project: Project) -> None:
    from workbench.mcp.results import MOST, PAGE

    long = chat("\u202e\x1b[2J" + "word " * 24_000)
    project.write_log(missed(long, *(chat(f"{number} " + "x" * 9_000) for number in range(75))))

    async def work(agent: Agent) -> None:
        text, _ = await agent.text("list_misses", limit=50)
        assert len(text) <= MOST
        assert not set("\u202e\x1b") & set(text)
        data = json.loads(text)["data"]
        assert (data["total"], len(data["misses"])) == (76, 50)
        assert "characters more)" in data["misses"][0]["last_user_text"]
        assert len((await agent.call("list_misses", offset=50))["misses"]) == 25
        assert len((await agent.call("list_misses", offset=75))["misses"]) == 1

        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            text, _ = await agent.text("show_request", digest=digest(long), offset=offset)
            assert not set("\u202e\x1b") & set(text)
            part = json.loads(text)["data"]
            parts.append(part["text"])
            assert len(part["text"]) <= PAGE
            offset = part["next_offset"]
        assert json.loads("".join(parts)) == long
        assert len(parts) > 5

    ask(project, work)


def test_lists_are_short_and_a_request_begins_with_what_is(project: Project) -> None:
    """An agent has little room: tools and format come on the first page, however long the talk."""
    from workbench.mcp.results import PAGE

    tool = {"type": "function", "function": {"name": "get_weather", "parameters": {}}}
    long = chat("word " * 9_000, tools=[tool])
    project.write_log(missed(long))

    async def work(agent: Agent) -> None:
        (row,) = (await agent.call("list_misses"))["misses"]
        assert len(row["last_user_text"]) < 400
        shown = await agent.call("show_request", digest=digest(long))
        assert shown["next_offset"] == PAGE
        assert "get_weather" in shown["text"]

    ask(project, work)


def test_an_error_is_put_before_an_answer(project: Project) -> None:
    project.write_log(missed(OLD))
    retry = {"digest": digest(OLD), "response": {"error": {"status": 429}}, "first": True}

    async def work(agent: Agent) -> None:
        assert "does not exist yet" in await agent.error("promote", **retry, write=True)
        project.run("promote", project.log, digest(OLD), "--content", "Here.")
        assert "Give one of" in await agent.error("promote", **retry, replace=True)
        assert (await agent.call("promote", **retry, write=True))["written"]
        first = await agent.call("preview", digest=digest(OLD), nth=1)
        assert (first["status"], first["shown"], first["first"]) == (429, "1st request", 1)
        for nth in (0, 2):
            later = await agent.call("preview", digest=digest(OLD), nth=nth)
            assert (later["status"], later["shown"]) == (200, "every later one")

    ask(project, work)


def test_an_answer_to_a_request_of_an_earlier_run_is_mended(project: Project) -> None:
    project.write_log(missed(OLD))
    project.run("promote", project.log, digest(OLD), "--content", "Wrong.")
    project.write_log(missed(NEW))

    async def work(agent: Agent) -> None:
        shown = await agent.call("show_request", digest=digest(OLD))
        assert json.loads(shown["text"])["messages"] == OLD["messages"]
        mended = {"digest": digest(OLD)[:8], "content": "Right.", "write": True}
        assert "replace=true" in await agent.error("promote", **mended)
        assert (await agent.call("promote", **mended, replace=True))["written"]
        assert "Right." in (await agent.call("preview", digest=digest(OLD)))["text"]

    ask(project, work)
    ran = project.run("promote", project.log, digest(OLD), "--content", "By hand.", "--force")
    assert ran.code == 0
    assert b"By hand." in (project.fixtures / f"{digest(OLD)}.json").read_bytes()
    ran = project.run(
        "promote", project.log, digest(OLD), "--variant", "1", "--content", "No.", "--force"
    )
    assert (ran.code, "0 requests" in ran.err) == (2, True)


def test_fixtures_are_found_by_words(project: Project) -> None:
    project.fixtures.mkdir()
    for text, answer in (("a joke", "Knock."), ("the weather", "Rain.")):
        name = digest(chat(text))
        made = new_document(name, {"content": answer}, request=chat(text))
        (project.fixtures / f"{name}.json").write_text(made.text)
    project.write_log()

    async def work(agent: Agent) -> None:
        listed = await agent.call("list_fixtures", words=["KNOCK", "joke"])
        [fixture] = listed["fixtures"]
        assert (listed["total"], fixture["digest"]) == (1, digest(chat("a joke")))
        assert (await agent.call("list_fixtures", limit=1))["total"] == 2

    ask(project, work)


def test_the_tools_say_which_of_them_write(project: Project) -> None:
    async def work(agent: Agent) -> None:
        tools = (await agent.client.list_tools()).tools
        hints = {one.name: one.annotations and one.annotations.read_only_hint for one in tools}
        assert hints == {
            **dict.fromkeys(["list_misses", "show_request", "explain", "validate"], True),
            **dict.fromkeys(["preview", "list_held", "list_fixtures"], True),
            **dict.fromkeys(["promote", "rekey", "answer_held"], False),
        }
        assert all(one.description and "        " not in one.description for one in tools)

    ask(project, work)
