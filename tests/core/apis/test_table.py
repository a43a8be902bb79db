"""The table of the APIs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench.core.apis import NAMES
from workbench.core.apis.api import API
from workbench.core.apis.paths import api_at
from workbench.core.apis.table import BY_NAME, api_of


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_a_package_of_its_own(name: str) -> None:
    api = BY_NAME[name]
    assert isinstance(api, API)
    assert name == api.request.NAME
    assert (api.name, api_of({"api": name}), api_at(api.request.ROUTE)) == (name, api, api)


def test_readers_and_writers_are_loaded_when_they_are_used() -> None:
    program = (
        "import sys; from workbench.core.apis.table import APIS, view\n"
        "names = [f'{api.name}.{m}' for api in APIS for m in ('request', 'read', 'write')]\n"
        "modules = [f'workbench.core.apis.{name}' for name in names]\n"
        "view({'messages': []}); view({'api': 'gemini', 'contents': []})\n"
        "loaded = [m for m in modules if m in sys.modules]\n"
        "assert loaded == ['workbench.core.apis.gemini.request'], loaded\n"
        "assert [(api.request, api.replies) for api in APIS]\n"
        "assert all(m in sys.modules for m in modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
