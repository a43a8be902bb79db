"""The list of models."""

from __future__ import annotations

from openai.types import Model

from workbench.core.apis.model_list import model, model_list


def test_a_model_has_all_that_the_client_reads() -> None:
    found = {"id": "org/name", "object": "model", "created": 0, "owned_by": "workbench"}
    assert model("org/name") == found
    assert Model.model_validate(found).to_dict() == found


def test_a_list_of_models() -> None:
    assert model_list(["a", "b"]) == {"object": "list", "data": [model("a"), model("b")]}
    assert model_list([]) == {"object": "list", "data": []}
