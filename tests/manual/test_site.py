"""The site has the pages of the manual in the order of its index; ``python -m tests`` builds it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from mkdocs.config import load_config

from tests.cases import each_case
from tests.manual.site import on_config, on_page_markdown
from workbench.io import manual

ROOT = Path(__file__).parents[2]


def test_the_navigation_is_the_index() -> None:
    nav = on_config(load_config(str(ROOT / "mkdocs.yml"))).nav
    assert nav is not None
    first, *groups = nav
    pages = [page for group in groups for pages in group.values() for page in pages]
    assert [first["Manual"], *pages] == [f"{name}.md" for name in manual.names()]
    assert len(groups) > 3


@each_case(
    "fence, expected",
    [
        ("```sh", "```sh"),
        ("```sh fails", "```sh"),
        ("```text keys", "```text"),
        ("  ```python agent.py", '  ```python title="agent.py"'),
        ("```yaml .github/workflows/tests.yml", '```yaml title=".github/workflows/tests.yml"'),
    ],
)
def test_the_name_of_a_file_is_the_title_of_its_block(fence: str, expected: str) -> None:
    assert on_page_markdown(f"A text:\n\n{fence}\nx\n```\n") == f"A text:\n\n{expected}\nx\n```\n"


def test_the_package_and_the_site_name_the_same_address() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    addresses = {project["urls"]["Documentation"], project["urls"]["Repository"]}
    assert all(f"_url: {address}\n" in site for address in addresses)


@pytest.mark.parametrize("name", ["site", "tests"])
def test_a_workflow_is_valid_yaml_with_steps(name: str) -> None:
    workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text("utf-8"))
    [job] = workflow["jobs"].values()
    assert all("run" in step or "uses" in step for step in job["steps"])
