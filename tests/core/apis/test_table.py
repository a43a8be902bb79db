"""The API that is asked at a path."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench.core.apis import NAMES
from workbench.core.apis.api import API
from workbench.core.apis.table import BY_NAME, api_at, api_of


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/v1/chat/completions", "chat"),
        ("/v1/responses", "responses"),
        ("/v1/messages", "messages"),
        ("/v1/messages/count_tokens", "messages"),
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini"),
        ("/v1beta/models/gemini-2.5-pro:countTokens", "gemini"),
        ("/v1/embeddings", "chat"),
        ("/", "chat"),
    ],
)
def test_an_error_has_the_shape_of_the_api_that_is_asked(path: str, api: str) -> None:
    assert api_at(path).name == api


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
