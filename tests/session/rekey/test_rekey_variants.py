"""Re-key: the variants of a fixture go with it, in one step that can be taken back."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.session.support import asked, chat, full_disk, take, tool, undo, write
from workbench.cli.session_summary import closing_lines
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import variant_name
from workbench.core.log.lines import served_line
from workbench.core.text.digests import short
from workbench.session.misses.states import state_of
from workbench.session.rekey.carry_out import carry_out
from workbench.session.rekey.edited import plan_edited
from workbench.session.rekey.pairing import rekey_of
from workbench.session.rekey.plan import Rekey, RekeyRefusedError
from workbench.session.rekey.stale import plan_all
from workbench.session.session import Session

WEATHER, TIME = [tool("weather")], [tool("time")]


def news(day: int, tools: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    return chat(f"What is new on 2026-11-{day}?", **({"tools": tools} if tools else {}), **more)


def name_of(request: dict[str, Any], *, is_variant: bool = True) -> str:
    return variant_name(digest(request), view(request)) if is_variant else digest(request)


def write_fixture(session: Session, name: str, request: dict[str, Any], said: str) -> str:
    write(session, name, new_document(name[:64], {"content": said}, request=request).text)
    return name


def base_and_variant(session: Session) -> tuple[str, str]:
    """Two fixtures of one digest: for the tools WEATHER, and for TIME."""
    base = write_fixture(session, digest(news(19)), news(19, WEATHER), "weather")
    variant = name_of(news(19, TIME))
    return base, write_fixture(session, variant, news(19, TIME), "time")


def files(session: Session) -> dict[str, Any]:
    return {p.name: json.loads(p.read_bytes()) for p in session.store.folder.iterdir()}


def content(session: Session) -> dict[str, tuple[str, Any]]:
    """What each file answers, and the request it stores."""
    return {
        name.removesuffix(".json"): (value["response"]["content"], value.get("request"))
        for name, value in files(session).items()
    }


def done(session: Session, rekey: Rekey) -> Rekey:
    [(carried, problem)] = carry_out(session, [rekey])
    assert problem == ""
    return carried


@pytest.mark.parametrize("is_all", [False, True])
def test_variants_move_with_their_fixture_and_back(session: Session, is_all: bool) -> None:
    base, variant = base_and_variant(session)
    os.chmod(session.store.path(variant), 0o640)
    before = {path.name: path.read_bytes() for path in session.store.folder.iterdir()}
    # The first request in the log is not that of the fixture without a variant.
    (new, _) = asked(session, news(20, TIME), news(20, WEATHER))
    session.stale.catch_up()
    rekey = plan_all(session).rekeys[0] if is_all else rekey_of(session, base, new)
    moved = name_of(news(20, TIME))
    assert rekey.files == ((base, new), (variant, moved))
    done(session, rekey)
    assert content(session) == {
        new: ("weather", news(20, WEATHER)),
        moved: ("time", news(20, TIME)),
    }
    assert {value["request_digest"] for value in files(session).values()} == {new}
    assert os.stat(session.store.path(moved)).st_mode & 0o777 == 0o640
    assert state_of(session, new).word == "saved"
    head, *lines = closing_lines(session, "workbench")
    assert head.startswith("0 saved, 2 moved, ")
    assert [line.split()[1] for line in lines[:2]] == [
        short(new),
        f"{short(new)}….{moved[65:]}",
    ]
    undo(session)
    assert {path.name: path.read_bytes() for path in session.store.folder.iterdir()} == before


def test_a_variant_that_was_not_asked_again_keeps_its_tools(session: Session) -> None:
    base, variant = base_and_variant(session)
    bare = write_fixture(session, f"{base}.0123abcd", {}, "bare")
    write(session, bare, json.dumps({"response": {"content": "bare"}}))
    (new,) = asked(session, news(20, WEATHER, temperature=1))
    done(session, rekey_of(session, variant, new))
    assert content(session) == {
        new: ("weather", news(20, WEATHER, temperature=1)),
        name_of(news(20, TIME)): ("time", news(20, TIME, temperature=1)),
        f"{new}.0123abcd": ("bare", None),
    }


def test_where_its_tools_changed_too_a_variant_is_named_after_them(session: Session) -> None:
    base, variant = base_and_variant(session)
    edited = [tool("time", description="edited")]
    (new, _) = asked(session, news(20, WEATHER), news(20, edited))
    assert name_of(news(20, edited)) != name_of(news(20, TIME))
    done(session, rekey_of(session, base, new))
    assert content(session)[name_of(news(20, edited))] == ("time", news(20, edited))
    assert len(files(session)) == 2
    assert variant not in content(session)


def test_a_variant_alone_moves_and_where_only_its_tools_changed(session: Session) -> None:
    variant = write_fixture(session, name_of(news(19, TIME)), news(19, TIME), "time")
    (new,) = asked(session, news(20, TIME))
    session.stale.catch_up()
    [rekey] = plan_all(session).rekeys
    moved = name_of(news(20, TIME))
    assert (rekey.old, rekey.files) == (digest(news(19)), ((variant, moved),))
    done(session, rekey)
    assert state_of(session, new).word == "saved"
    (new,) = asked(session, news(20, WEATHER))
    done(session, rekey_of(session, moved, new))
    # Its own request came in this run, too.
    assert content(session) == {
        moved: ("time", news(20, TIME)),
        name_of(news(20, WEATHER)): ("time", news(20, WEATHER)),
    }
    with pytest.raises(RekeyRefusedError):
        rekey_of(session, moved, new)


def test_as_copies_all_stay(session: Session) -> None:
    base, _ = base_and_variant(session)
    before = files(session)
    take(session, served_line(base))
    (new,) = asked(session, news(20, WEATHER))
    rekey = done(session, rekey_of(session, base, new))
    assert (rekey.is_copy, len(files(session))) == (True, 4)
    undo(session)
    assert files(session) == before


def test_all_or_nothing(session: Session) -> None:
    base, variant = base_and_variant(session)
    write_fixture(session, variant, news(19, TIME), "time " * 50)
    (new,) = asked(session, news(20, WEATHER))
    rekey = rekey_of(session, base, new)
    before = files(session)
    with full_disk(room=session.store.size(base) + 40):  # for the first of the two new files
        [(_, problem)] = carry_out(session, [rekey])
    assert problem.startswith("Cannot write to ")
    assert files(session) == before
    session.store.path(variant).write_text("{broken")
    [(_, problem)] = carry_out(session, [rekey])
    assert problem.startswith(f"The fixture {short(base)}….{variant[65:]} cannot be read: ")
    session.store.path(variant).write_text(json.dumps(before[f"{variant}.json"]))
    before = files(session)
    session.store.path(rekey.files[1][1]).write_text("{}")
    [(_, problem)] = carry_out(session, [rekey])
    assert "another program" in problem
    session.store.path(rekey.files[1][1]).unlink()
    assert files(session) == before
    assert len(session.history) == 0


def test_what_changed_since_is_not_taken_back(session: Session) -> None:
    base, _ = base_and_variant(session)
    (new,) = asked(session, news(20, WEATHER))
    rekey = done(session, rekey_of(session, base, new))
    session.store.path(rekey.files[1][1]).write_text('{"response": {"content": "theirs"}}')
    before = files(session)
    with pytest.raises(Exception, match="another program"):
        undo(session)
    assert files(session) == before


def test_the_variants_of_an_edited_fixture_follow_it(session: Session) -> None:
    base, variant = base_and_variant(session)
    write_fixture(session, base, news(21, WEATHER), "weather")
    session.store.path(base).write_text(
        session.store.path(base).read_text().replace(digest(news(21)), base)
    )
    plan = plan_edited(session)
    new = digest(news(21))
    [rekey] = plan.rekeys
    assert rekey.files == ((base, new), (variant, name_of(news(21, TIME))))
    done(session, rekey)
    assert content(session) == {
        new: ("weather", news(21, WEATHER)),
        name_of(news(21, TIME)): ("time", news(21, TIME)),
    }
    assert plan_edited(session).rekeys == ()


def test_a_variant_whose_tools_were_edited_gets_their_digits(session: Session) -> None:
    base, variant = base_and_variant(session)
    edited = news(19, [tool("clock")])
    write_fixture(session, variant, edited, "time")
    [rekey] = plan_edited(session).rekeys
    assert rekey.files == ((variant, name_of(edited)),)
    done(session, rekey)
    assert set(content(session)) == {base, name_of(edited)}
