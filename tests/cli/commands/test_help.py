"""``workbench help``."""

from __future__ import annotations

from tests.cli.running import Project


def test_the_help_of_a_command(project: Project) -> None:
    for words in (["misses"], ["help"], []):
        expected = project.run(*words, "--help").out
        assert project.run("help", *words) == (0, expected, "")


def test_a_command_there_is_not(project: Project) -> None:
    ran = project.run("help", "misess")
    said = 'workbench help: error: unknown command misess; did you mean "misses"?\n'
    assert ran == (2, "", f"{said}list them: workbench help\n")


def test_the_version_has_a_short_option(project: Project) -> None:
    assert project.run("-V") == project.run("--version")
