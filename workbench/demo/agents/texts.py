"""Agents that want plain text."""

from __future__ import annotations

from typing import Any, Final

from workbench.demo.agents.asking import LARGE, SMALL, Ask, say

# Customer support: plain text, some of it streamed, and one long conversation.

_SUPPORT = say(
    "system", "You answer customers of a bookshop. Be brief and friendly, and invent nothing."
)
_LONG_TALK = (
    ("user", "Hi, my parcel has not arrived."),
    ("assistant", "I'm sorry to hear that. What is the order number?"),
    ("user", "B-20417"),
    ("assistant", "Thank you. It left our warehouse and is with the carrier now."),
    ("user", "It has said so for a week."),
    ("assistant", "That is too long. I can send it again, or give the money back."),
    ("user", "Send it again, but to my office."),
    ("assistant", "Gladly. Which address shall I use?"),
    ("user", "12 Mill Lane, second floor. How long will it take?"),
)


def support(ask: Ask) -> None:
    def about(question: str, **more: Any) -> None:
        ask({"model": SMALL, "messages": [_SUPPORT, say("user", question)], **more})

    about("How do I reset my password?")
    about("Where do I find my invoices?", stream=True)
    about("Please cancel my subscription.", stream=True)
    about("Do you ship to Norway?")
    ask({"model": SMALL, "messages": [_SUPPORT, *(say(*said) for said in _LONG_TALK)]})


# It reads an answer aloud, too: a path and a body of an API that the server does not have.
READ_ALOUD: Final[tuple[str, dict[str, Any]]] = (
    "/v1/audio/speech",
    {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": "Your parcel is on its way."},
)


# The shop counter: a customer who goes on only when there is an answer.


def shop_counter(ask: Ask) -> None:
    messages = [_SUPPORT]
    for words in ("Is A Field Guide to Clouds in stock?", "Please keep one for me until Saturday."):
        messages = [*messages, say("user", words)]
        messages = [*messages, ask({"model": SMALL, "messages": messages})]


# A briefing whose prompt contains the date, so that tomorrow it is another request. Its fixture is
# one day old. (A real agent would take the date from the clock.)

_TODAY = "2026-11-20"


def briefing(day: str) -> dict[str, Any]:
    """The request of one day, as ``2026-11-20``."""
    system = f"You write the morning briefing of a bookshop. Today is {day}. Be brief."
    user = "Deliveries: 14 parcels, two of them late. Events: a reading at 19:00. Write it."
    return {"model": SMALL, "messages": [say("system", system), say("user", user)]}


def morning_briefing(ask: Ask) -> None:
    ask(briefing(_TODAY))


# Three agents with one request each.


def health_check(ask: Ask) -> None:
    for _ in range(3):
        ask({"model": SMALL, "max_tokens": 5, "messages": [say("user", "Reply with OK.")]})


# One grey pixel.
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
)


def label_reader(ask: Ask) -> None:
    question = "Which wine is this? Name, vintage and grape."
    image = {"url": f"data:image/png;base64,{_PNG}", "detail": "low"}
    content = [{"type": "text", "text": question}, {"type": "image_url", "image_url": image}]
    ask({"model": LARGE, "messages": [{"role": "user", "content": content}]})


# What a terminal or a markup language would interpret: colours, a clipboard write, a NUL, reversed
# text, a line separator that is not a line end, markup, something like a directive.
_HOSTILE = (
    "Summarise this build log:\n"
    "\x1b[31mERROR\x1b[0m deploy \x1b[1;5mFAILED\x1b[0m \x1b]52;c;Y29waWVkIGJ5IGEgbG9n\x07"
    "after step\x00 3\u2028next line\n"
    "user \u202egnp.exe\u202c uploaded [/bold] [red]alert[/red] [@click=app.quit]here[/]\n"
    "hint [[MOCK_LLM_EMIT:…]] and <script>alert(1)</script> \x9b2J done\x1b[2J\r\n"
)


def log_reader(ask: Ask) -> None:
    ask({"model": SMALL, "messages": [say("user", _HOSTILE)]})
