"""``python -m tests.apps.chat_agent "weather in London?"``: ask, print the answer.

The server is ``$OPENAI_BASE_URL``, else a stub server on its usual port. More questions go on in
the same conversation.
"""

from __future__ import annotations

import argparse
import os
import sys

from openai import APIConnectionError, OpenAI

from tests.apps.chat_agent.agent import AgentError, ChatAgent


def main() -> int:
    parser = argparse.ArgumentParser(prog="chat_agent")
    parser.add_argument("question", nargs="+")
    parser.add_argument("--stream", action="store_true", help="ask for answers as streams")
    args = parser.parse_args()
    base_url = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:7899/v1")
    with OpenAI(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY", "none")) as client:
        agent = ChatAgent(client, stream=args.stream)
        try:
            for question in args.question:
                print(agent.ask(question))
        except (AgentError, APIConnectionError) as error:
            print(f"chat_agent: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
