"""The tables of what clients read from their environment."""

from __future__ import annotations

from collections import Counter

from workbench.core.apis.table import APIS


def test_no_two_apis_set_one_variable() -> None:
    names: Counter[str] = Counter()
    for client in {api.client for api in APIS}:
        variables = (*client.all_base_urls, *client.all_placeholders)
        names.update([*(variable.name for variable in variables), *client.taken_out])
    assert [name for name, count in names.items() if count > 1] == []


def test_each_base_url_continues_that_of_the_server_and_each_variable_has_its_clients() -> None:
    for api in APIS:
        for variable in api.client.all_base_urls:
            assert not variable.value.endswith("/"), variable
            assert variable.value == "" or variable.value.startswith("/"), variable
        for variable in (*api.client.all_base_urls, *api.client.all_placeholders):
            assert variable.clients, variable


def test_each_path_without_fixtures_is_looked_for_at_the_end() -> None:
    for api in APIS:
        for plain in api.request.PLAIN_PATHS:
            assert plain.path.pattern.endswith("$"), plain
