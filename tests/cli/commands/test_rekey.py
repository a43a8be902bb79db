"""``workbench rekey``, and the suite that passes again after it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.commands.test_explain import TODAY, YESTERDAY, news, write
from tests.cli.running import Project
from tests.core.fixture.rules.rule_cases import KEY
from tests.other_day import pairs
from tests.server.running import RunningServer
from tests.session.support import chat, missed
from tests.terminal import WORKBENCH, Terminal
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document

NOTHING = (
    "workbench rekey: note: nothing to do: no miss has a stale fixture (if more than dates and ids "
    "changed: workbench manual stale)\n"
)


@pytest.fixture
def days(project: Project) -> Project:
    write(project, news(19))
    project.write_log(missed(news(20)), missed(chat("a joke")))
    return project


def test_one_fixture_moves(days: Project) -> None:
    ran = days.run("rekey", YESTERDAY[:9], days.log, TODAY[:9])
    assert ran == (
        0,
        f"moved   {YESTERDAY} -> fixtures/{TODAY}.json\n"
        "        messages[0] system: 2026-11-19 -> 2026-11-20\n",
        "",
    )
    assert days.files() == [f"{TODAY}.json"]
    assert days.fixture(TODAY)["request"] == news(20)
    assert days.fixture(TODAY)["request_digest"] == TODAY


def test_a_request_that_is_too_large_is_stored_without_its_messages(days: Project) -> None:
    large = chat("x" * 3_000)
    days.settings("store_request_kib = 2")
    days.write_log(missed(large), missed(chat("x" * 3_000 + "y")))
    ran = days.run("rekey", YESTERDAY, days.log, digest(large))
    note = f"workbench rekey: note: {digest(large)}: The fixture leaves out the messages"
    assert (ran.code, note in ran.err) == (0, True)
    assert "messages" not in days.fixture(digest(large))["request"]
    # Nothing is compared with what is left of it.
    assert days.run("rekey", "--edited").code == 0
    assert days.files() == [f"{digest(large)}.json"]
    other = digest(chat("x" * 3_000 + "y"))
    assert days.run("explain", days.log, other, "--format", "json").rows["nearest"] is None


def test_a_dry_run_writes_nothing(days: Project) -> None:
    ran = days.run("rekey", YESTERDAY, days.log, TODAY, "--dry-run")
    assert (ran.code, days.files()) == (0, [f"{YESTERDAY}.json"])
    assert ran.out.startswith("would move  ")
    assert days.run("rekey", "--all", "--dry-run", days.log).out == ran.out
    assert days.files() == [f"{YESTERDAY}.json"]


def test_any_fixture_can_be_given_to_any_miss(days: Project) -> None:
    joke = digest(chat("a joke"))
    assert days.run("rekey", YESTERDAY, days.log, joke).code == 0
    assert days.fixture(joke)["request"] == chat("a joke")


def test_a_later_turn_moves_with_its_beginning(days: Project) -> None:
    more = [{"role": "assistant", "content": "Rain."}, {"role": "user", "content": "And then?"}]
    later, moved = ({**news(day), "messages": news(day)["messages"] + more} for day in (19, 20))
    for words in ([YESTERDAY, TODAY], ["--all"]):
        write(days, news(19))
        write(days, later)
        ran = days.run("rekey", *words, days.log)
        assert f"moved   {digest(later)} -> fixtures/{digest(moved)}.json" in ran.out
        assert days.files() == sorted([f"{TODAY}.json", f"{digest(moved)}.json"])
        assert days.fixture(digest(moved))["request"] == moved
        for path in days.fixtures.iterdir():
            path.unlink()


def test_a_later_turn_whose_request_has_a_fixture_stays_and_is_named(days: Project) -> None:
    later = [news(day) for day in (19, 20)]
    for request in later:
        said = {"role": "assistant", "content": "Nothing."}
        request["messages"] += [said, {"role": "user", "content": "Really?"}]
        write(days, request)
    ran = days.run("rekey", YESTERDAY, days.log, TODAY)
    old, new = map(digest, later)
    assert ran.code == 1
    assert f"warning: {new} is left out: it has a fixture already, so the later" in ran.err
    assert set(days.files()) == {f"{name}.json" for name in (TODAY, old, new)}


def test_all(days: Project) -> None:
    ran = days.run("rekey", "--all", days.log, "--format", "json")
    assert ran.code == 0
    assert ran.rows == {
        "rekeyed": [
            {
                "old": YESTERDAY,
                "new": TODAY,
                "path": f"fixtures/{TODAY}.json",
                "copied": False,
            }
        ],
        "left_out": [],
    }
    assert days.run("rekey", "--all", days.log) == (0, "", NOTHING)


def test_what_is_not_certain_is_left_out_and_said(days: Project) -> None:
    days.write_log(missed(news(20), news(21)))
    ran = days.run("rekey", "--all", days.log)
    assert (ran.code, ran.out) == (1, "")
    assert f"{TODAY} is left out: " in ran.err
    assert days.files() == [f"{YESTERDAY}.json"]


def edit(project: Project, was: str, is_now: str) -> None:
    """Change a text in all fixtures, as ``sed`` does."""
    for path in project.fixtures.iterdir():
        path.write_text(path.read_text("utf-8").replace(was, is_now), "utf-8")


def test_fixtures_whose_request_was_edited_are_named_after_it(project: Project) -> None:
    """Without a log, and every turn at once; what the file says beside stays byte for byte."""
    requests = [news(19), chat("a joke"), {**chat("a joke"), "tool_choice": "none"}]
    for request in requests:
        write(project, request)
    edit(project, '"gpt-4o"', '"gpt-5"')
    before = {digest({**old, "model": "gpt-5"}): digest(old) for old in requests}
    texts = {old: (project.fixtures / f"{old}.json").read_text("utf-8") for old in before.values()}

    planned = project.run("rekey", "--edited", "--dry-run")
    assert project.files() == sorted(f"{old}.json" for old in before.values())
    ran = project.run("rekey", "--edited")
    assert ran.out == planned.out.replace("would move  ", "moved   ")
    assert (ran.code, ran.err) == (0, "workbench rekey: note: moved 3 fixtures\n")
    assert sorted(ran.out.splitlines()) == sorted(
        f"moved   {old} -> fixtures/{new}.json" for new, old in before.items()
    )
    for new, old in before.items():
        text = (project.fixtures / f"{new}.json").read_text("utf-8")
        assert text == texts[old].replace(old, new)
    assert project.files() == sorted(f"{new}.json" for new in before)
    said = "workbench rekey: note: nothing to do: every file name already matches its request\n"
    assert project.run("rekey", "--edited") == (0, "", said)


def test_an_edited_fixture_never_takes_the_place_of_another(project: Project) -> None:
    write(project, news(19))
    write(project, news(20))
    edit(project, "2026-11-19", "2026-11-20")
    ran = project.run("rekey", "--edited")
    assert (ran.code, ran.out) == (1, "")
    assert f"{TODAY} is left out: it has a fixture already" in ran.err
    assert project.files() == sorted([f"{YESTERDAY}.json", f"{TODAY}.json"])


def test_a_file_that_was_renamed_by_hand_keeps_its_name(project: Project) -> None:
    write(project, news(19))
    (project.fixtures / f"{YESTERDAY}.json").rename(project.fixtures / f"{TODAY}.json")
    ran = project.run("rekey", "--edited")
    assert (ran.code, ran.out) == (1, "")
    assert f"the file {TODAY[:12]} was renamed" in ran.err
    assert project.files() == [f"{TODAY}.json"]


def test_a_secret_is_stored_only_if_it_is_allowed(days: Project) -> None:
    asked = chat(f"use {KEY}")
    days.write_log(missed(asked))
    rekey = ["rekey", YESTERDAY, str(days.log), digest(asked)]
    for more in (["--dry-run"], []):
        ran = days.run(*rekey, *more)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == (
            f"workbench rekey: warning: {digest(asked)} is left out: messages[0].content contains "
            "what looks like an API key (sk-…f3a). It would be stored. --allow-secret stores it.\n"
        )
    assert days.files() == [f"{YESTERDAY}.json"]
    assert days.run(*rekey, "--allow-secret").code == 0
    assert days.files() == [f"{digest(asked)}.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([YESTERDAY, "LOG"], "give OLD and NEW"),
        (["--all"], "there is no log"),
        (["--edited", "LOG"], "--edited cannot be used with digests"),
        (["abcd", "LOG", TODAY], "no fixture in fixtures begins with abcd"),
        (["", "LOG", TODAY], "the value is empty"),
        ([YESTERDAY, "LOG", "abcd"], "no miss in the log begins with abcd"),
        ([YESTERDAY, "missing.log", TODAY], "missing.log"),
        (["b" * 64, "LOG", YESTERDAY], "no miss in the log begins"),
        (["--like", "abc", "LOG"], "abc is too short"),
        (["--like", "", "LOG"], "the digest is empty"),
        (["--like", TODAY, YESTERDAY, "LOG"], "give OLD and NEW, or one of --all, --like"),
        (["--like", TODAY, "LOG"], "only dates and ids differ"),
        (
            ["--like", "abcd", "LOG"],
            "no miss in the log and no fixture in fixtures begins with abcd",
        ),
        (["--like", TODAY, "--all", "LOG"], "--all cannot be used with --like"),
        (["--edited", "--like", TODAY], "--all or --like"),
        (["--all", "--yes", "LOG"], "--yes needs --like"),
        (["--like", TODAY, "--yes", "--dry-run", "LOG"], "--yes cannot be used with --dry-run"),
    ],
)
def test_wrong_use_is_said(days: Project, arguments: list[str], said: str) -> None:
    write(days, chat("another"))
    (days.fixtures / f"{'b' * 64}.json").write_text("{}")
    (days.fixtures / f"{'b' * 64}.json").rename(days.fixtures / f"{'b' * 64}.json.old")
    if arguments[0].startswith("b"):
        (days.fixtures / f"{'b' * 64}.json").write_text("{}")
    ran = days.run("rekey", *(str(days.log) if a == "LOG" else a for a in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_miss_that_has_a_fixture_is_not_overwritten(days: Project) -> None:
    write(days, news(20))
    before = days.fixture(TODAY)
    ran = days.run("rekey", YESTERDAY, days.log, TODAY)
    assert ran.code == 2
    assert "has a fixture already" in ran.err
    assert days.fixture(TODAY) == before


def test_the_suite_of_yesterday_passes_again(project: Project) -> None:
    """Requests of real agents, each with something else changed overnight: every one is answered by
    its own fixture after one command.
    """
    days = list(pairs())[::24]
    project.fixtures.mkdir()
    for number, day in enumerate(days):
        found = digest(day.before)
        answer = {"content": f"answer {number}", "finish_reason": "stop"}
        text = new_document(found, answer, request=day.before).text
        (project.fixtures / f"{found}.json").write_text(text)

    def answers(server: RunningServer) -> list[Any]:
        plain = [{**day.after, "stream": False} for day in days]
        return [server.chat(payload).content for payload in plain]

    with RunningServer(project.folder, fixtures=project.fixtures) as server:
        fallbacks = set(answers(server))
        assert len(fallbacks) == 1
        ran = project.run("rekey", "--all", server.log_path)
        assert (ran.code, ran.err) == (0, "workbench rekey: note: moved 36 fixtures\n")
        assert len(days) == 36
        assert answers(server) == [f"answer {number}" for number in range(len(days))]
    assert len(project.files()) == len(days)
    findings = project.run("validate", project.fixtures, "--format", "json").rows
    assert {"digest-mismatch", "request-mismatch"}.isdisjoint(f["rule"] for f in findings)


def test_what_a_suite_asks_side_by_side_keeps_its_own_fixture(project: Project) -> None:
    """Two questions of one run that differ by their date alone, one of them answered."""
    answered, missing = news(19), news(20)
    write(project, answered)
    with RunningServer(project.folder, fixtures=project.fixtures) as server:
        for _ in range(2):
            assert server.chat(answered).content == "x"
            assert server.chat(missing).content != "x"
        assert project.run("rekey", "--all", server.log_path) == (0, "", NOTHING)
        assert project.files() == [f"{YESTERDAY}.json"]
        explained = project.run("explain", server.log_path, TODAY, "--format", "json").rows
        assert explained["nearest"]["digest"] == YESTERDAY
        assert explained["nearest"]["same_but_volatile"] is False
        # Who wants it all the same gets a copy.
        assert project.run("rekey", YESTERDAY, server.log_path, TODAY).code == 0
        assert [server.chat(one).content for one in (answered, missing)] == ["x", "x"]
    assert project.files() == sorted([f"{YESTERDAY}.json", f"{TODAY}.json"])


# One change, many files

SHORTER = {"role": "system", "content": "Answer in one short sentence."}
LONGER = {"role": "system", "content": "Answer in two sentences. Name your source."}


def question(number: int, prompt: dict[str, str]) -> dict[str, Any]:
    asked = {"role": "user", "content": f"question {number}?"}
    return {"model": "gpt-4o", "messages": [prompt, asked]}


@pytest.fixture
def edited(project: Project) -> Project:
    """Sixty fixtures; the prompt of all was changed, of the last ten in another way."""
    for number in range(60):
        write(project, question(number, SHORTER))
    other = {**LONGER, "content": "Answer in two sentences. Name no source."}
    asked = [question(number, LONGER if number < 50 else other) for number in range(60)]
    project.write_log(missed(*asked))
    return project


def moved(count: int) -> list[str]:
    """The files, once the first so many are re-keyed."""
    prompts = [LONGER] * count + [SHORTER] * (60 - count)
    return sorted(f"{digest(question(n, prompt))}.json" for n, prompt in enumerate(prompts))


def test_after_one_all_others_with_the_same_change_follow(edited: Project) -> None:
    old, new = digest(question(0, SHORTER)), digest(question(0, LONGER))
    ran = edited.run("rekey", old, edited.log, new)
    assert (ran.code, edited.files()) == (0, moved(1))
    hint = f"49 others have the same change; move them as well: workbench rekey --like {new[:12]}"
    assert hint in ran.err
    listed = edited.run("rekey", "--like", new[:12], "--log", edited.log)
    assert (listed.code, edited.files()) == (0, moved(1))
    assert (
        "note: not moved, because there is no terminal to ask in; move them with --yes"
        in listed.err
    )
    changes = [line for line in listed.out.splitlines() if line.startswith("change  ")]
    assert changes == listed.out.splitlines()[: len(changes)]
    assert "messages[0] system: " in changes[0]
    assert edited.run("rekey", "--like", old, edited.log, "--dry-run").out == listed.out
    done = edited.run("rekey", "--like", new, edited.log, "--yes")
    total = "workbench rekey: note: moved 49 fixtures\n"
    assert done == (0, listed.out.replace("would move  ", "moved   "), total)
    assert edited.files() == moved(50)
    again = edited.run("rekey", "--like", new, edited.log, "--yes")
    assert again.err.endswith("nothing to do: no other fixture has this change\n")
    assert (again.code, again.out) == (0, "")


@pytest.mark.parametrize("prompt", [SHORTER, LONGER])
def test_one_that_is_to_be_re_keyed_goes_with_the_others(
    edited: Project, prompt: dict[str, str]
) -> None:
    like = digest(question(3, prompt))
    rows = edited.run("rekey", "--like", like, edited.log, "--format", "json").rows
    assert (rows["written"], len(rows["rekeyed"]), rows["left_out"]) == (False, 50, [])
    assert {"before": "one", "after": "two"} in rows["change"]
    assert edited.files() == moved(0)
    rows = edited.run("rekey", "--like", like, edited.log, "--yes", "--format", "json").rows
    assert (rows["written"], len(rows["rekeyed"])) == (True, 50)
    assert edited.files() == moved(50)


def test_a_terminal_is_asked_before_many_are_re_keyed(edited: Project) -> None:
    like = digest(question(0, LONGER))
    for answer, count in (("n", 0), ("y", 50)):
        words = [*WORKBENCH, "rekey", "--like", like, str(edited.log)]
        with Terminal(words, folder=edited.folder) as terminal:
            terminal.wait_for("Move 50 fixtures? [y/N]")
            terminal.type(f"{answer}\n")
            assert terminal.wait_for_end() == 0
        assert edited.files() == moved(count)


def test_a_file_that_cannot_be_read_leaves_the_others_re_keyed(edited: Project) -> None:
    (edited.fixtures / f"{digest(question(1, SHORTER))}.json").write_text("{broken")
    (edited.fixtures / f"{digest(question(2, LONGER))}.json").write_text("{}")
    ran = edited.run("rekey", "--like", digest(question(0, LONGER)), edited.log, "--yes")
    assert (ran.code, ran.out.count("moved ")) == (0, 48)
