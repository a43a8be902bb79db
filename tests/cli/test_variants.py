"""Every command in a folder with variants: one beside its base, one alone, one without a request,
and two whose names are wrong.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed, tool
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import short_name, variant_name
from workbench.core.log.lines import served_line
from workbench.core.text.digests import short

WEATHER, TIME = [tool("weather")], [tool("time")]
BASE, BESIDE = chat("both", tools=WEATHER), chat("both", tools=TIME)
ALONE, OTHER = chat("alone", tools=TIME), chat("alone", tools=WEATHER)
MISNAMED, BARE = chat("misnamed", tools=TIME), chat("bare", tools=TIME)


def variant(request: dict[str, Any]) -> str:
    return variant_name(digest(request), view(request))


NAMES = {
    digest(BASE): BASE,
    variant(BESIDE): BESIDE,
    variant(ALONE): ALONE,
    f"{digest(MISNAMED)}.00000000": MISNAMED,
    variant(BARE): None,
    f"{digest(MISNAMED)}.ABC": MISNAMED,
}


@pytest.fixture
def folder(project: Project) -> Project:
    project.fixtures.mkdir()
    for name, request in NAMES.items():
        text = new_document(name[:64], {"content": name[60:]}, request=request).text
        (project.fixtures / f"{name}.json").write_text(text)
    project.write_log(missed(BASE, BESIDE, ALONE, OTHER, MISNAMED, BARE))
    return project


def paths(*names: str) -> str:
    return "".join(f"fixtures/{name}.json\n" for name in names)


def test_validate_counts_and_names_them(folder: Project) -> None:
    ran = folder.run("validate", "--format", "json")
    found = {(row["rule"], row["path"].removeprefix("fixtures/")[64:-5]) for row in ran.rows}
    hexadecimal = view(BESIDE).variant
    assert found == {
        ("workbench-only", f".{hexadecimal}"),
        ("workbench-only", ".00000000"),
        ("request-mismatch", ".00000000"),
        ("request-not-stored", f".{hexadecimal}"),
        ("bad-filename", ".ABC"),
    }
    assert (
        folder.run("validate").err
        == "workbench validate: note: 6 files: 1 error, 1 warning, 5 infos\n"
    )


def test_validate_tells_unused_ones_by_their_digest(folder: Project) -> None:
    folder.write_log(served_line(digest(BASE)))
    ran = folder.run("validate", "--log", folder.log, "--format", "json")
    unused = {row["path"] for row in ran.rows if row["rule"] == "unused-fixture"}
    expected = [variant(ALONE), f"{digest(MISNAMED)}.00000000", variant(BARE)]
    assert unused == set(paths(*expected).split())


def test_a_variant_answers_the_miss_it_is_named_after(folder: Project) -> None:
    states = {
        row["digest"]: row["state"]
        for row in folder.run("misses", folder.log, "--format", "json").rows
    }
    assert states == {
        digest(BASE): "answered",
        digest(ALONE): "missing",  # for one of its two requests
        digest(MISNAMED): "missing",
        digest(BARE): "answered",
    }


def test_explain_names_the_file_of_the_same_prompt_with_other_tools(folder: Project) -> None:
    nearest = folder.run("explain", folder.log, digest(ALONE), "--format", "json").rows["nearest"]
    assert nearest["path"] == f"fixtures/{variant(ALONE)}.json"
    [difference] = nearest["differences"]
    assert difference["where"] == "tools[0].function.name"
    assert (difference["before"], difference["after"]) == ("time", "weather")
    said = folder.run("explain", folder.log, digest(MISNAMED)).out
    assert f"{digest(MISNAMED)}.00000000.json\n" in said
    assert "the same request; rename the file: workbench rekey --edited\n" in said


def test_rekey_edited_mends_the_name_of_one(folder: Project) -> None:
    ran = folder.run("rekey", "--edited")
    old = f"{digest(MISNAMED)}.00000000"
    assert (ran.code, ran.out) == (0, f"moved   {old} -> fixtures/{variant(MISNAMED)}.json\n")
    assert f"{variant(MISNAMED)}.json" in folder.files()


def test_rekey_gives_a_variant_to_other_tools(folder: Project) -> None:
    ran = folder.run("rekey", variant(ALONE), folder.log, digest(ALONE))
    assert ran.out.startswith(f"copied  {variant(ALONE)} -> fixtures/{variant(OTHER)}.json\n")
    assert folder.fixture(variant(OTHER))["request"] == OTHER


def test_adopt_stores_the_request_of_a_variant(folder: Project) -> None:
    assert folder.run("adopt", folder.log).out == paths(variant(BARE))
    assert folder.fixture(variant(BARE))["request"] == BARE


def test_promote_replaces_the_file_that_answers(folder: Project) -> None:
    ran = folder.run("promote", folder.log, digest(BARE), "--content", "new")
    assert ran.code == 2
    assert f"{variant(BARE)}.json exists already" in ran.err
    ran = folder.run("promote", folder.log, digest(BARE), "--content", "new", "--force")
    assert ran.out == paths(variant(BARE))
    assert folder.fixture(variant(BARE))["response"]["content"] == "new"


def test_preview_takes_a_name_and_says_whose_it_is(folder: Project) -> None:
    request = folder.folder / "request.json"
    request.write_text(json.dumps(OTHER))
    assert folder.run("preview", variant(ALONE)[:66]).err == ""
    assert folder.run("preview", digest(ALONE)[:9]).err == ""
    assert folder.run("preview", variant(ALONE)[:66], "--request", request).err == (
        f"workbench preview: note: the variant of {request} is {view(OTHER).variant}; "
        f"the server would not answer it with {short_name(variant(ALONE))}.json\n"
    )
    assert short(variant(ALONE)) == short(digest(ALONE))
