"""The suite of somebody: one question to the model that the environment names."""

from __future__ import annotations

import json
import os
import urllib.request


def test_the_day() -> None:
    message = {"role": "user", "content": "Is it Monday?"}
    body = json.dumps({"model": "gpt-4o", "messages": [message]}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        assert json.load(reply)["choices"][0]["message"]["content"] == "Yes."
