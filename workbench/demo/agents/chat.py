"""The agents over the Chat Completions API: tools, structured output, plain text."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.json.text import is_json
from workbench.demo.agents.asking import LARGE, SMALL, Ask, Tool, converse, say, tool
from workbench.demo.client import Message

# A weather assistant: a tool call, its result, an answer.

GET_WEATHER = tool(
    "get_weather",
    "Current weather of a city.",
    ["city"],
    city={"type": "string", "description": "Name of the city, in English."},
    unit={"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
)
_WEATHER = {
    "London": {"temperature": 12, "sky": "light rain", "wind_kmh": 19},
    "Lisbon": {"temperature": 21, "sky": "clear", "wind_kmh": 8},
    "Porto": {"temperature": 17, "sky": "overcast", "wind_kmh": 31},
}
_QUESTIONS = (
    "What's the weather in London?",
    "Do I need an umbrella in Lisbon?",
    "Is it windy in Porto?",
)
_WEATHER_SYSTEM = (
    "You are a weather assistant. Call get_weather for each city you are asked about, "
    "then answer in one sentence."
)


def weather(ask: Ask) -> None:
    tools: dict[str, Tool] = {"get_weather": lambda arguments: _WEATHER[arguments["city"]]}
    for question in _QUESTIONS:
        messages = [say("system", _WEATHER_SYSTEM), say("user", question)]
        converse(ask, {"model": SMALL, "messages": messages, "tools": [GET_WEATHER]}, tools)


# A sommelier: two tools, one of which must be called.

SEARCH_WINES = tool(
    "search_wines",
    "Search the wine catalogue.",
    ["query"],
    query={"type": "string", "description": "What the wine should be like."},
    colour={"type": "string", "enum": ["red", "white", "rosé", "sparkling"]},
    max_price={"type": "number", "minimum": 0, "description": "Euros a bottle."},
)
ASK_USER = tool(
    "ask_user",
    "Ask the guest something that decides the choice.",
    ["question"],
    question={"type": "string"},
)
_CATALOGUE = [
    {"name": "Rioja Crianza 2019", "colour": "red", "price": 14.5},
    {"name": "Saint-Émilion Grand Cru 2016", "colour": "red", "price": 29.9},
    {"name": "Crémant de Loire brut", "colour": "sparkling", "price": 12.8},
]


def _search_wines(arguments: dict[str, Any]) -> object:
    colour, price = arguments.get("colour"), arguments.get("max_price")
    return [
        wine
        for wine in _CATALOGUE
        if colour in (None, wine["colour"]) and (price is None or wine["price"] <= price)
    ]


def sommelier(ask: Ask) -> None:
    tools: dict[str, Tool] = {
        "search_wines": _search_wines,
        "ask_user": lambda _: "Something with bubbles, around 15 euros.",
    }

    def demand(request: dict[str, Any]) -> Message:
        """Ask for a call of a tool in the first two turns."""
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        return ask({**request, "tool_choice": "required" if turn < 2 else "auto"})

    for wish in ("Red wine under 30 for Sunday's lamb, please.", "Something for a party?"):
        messages = [
            say("system", "You are the sommelier of a wine shop. Recommend from the catalogue."),
            say("user", wish),
        ]
        request = {
            "model": SMALL,
            "temperature": 0.3,
            "messages": messages,
            "tools": [SEARCH_WINES, ASK_USER],
        }
        converse(demand, request, tools)


# A research planner, which requests JSON in the three ways that applications use.

_STEPS = {"type": "array", "items": {"type": "string"}}
PLAN_SCHEMA = {
    "type": "object",
    "properties": {"research_steps": _STEPS, "expert_steps": _STEPS},
    "required": ["research_steps", "expert_steps"],
    "additionalProperties": False,
}
PLAN_TOOL = {
    "type": "function",
    "function": {"name": "Plan", "description": "Hand in the plan.", "parameters": PLAN_SCHEMA},
}
_PLAN_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "Plan", "strict": True, "schema": PLAN_SCHEMA},
}


def planner(ask: Ask) -> None:
    messages = [
        say("system", "You plan research for a team. Answer with a Plan as JSON."),
        say("user", "Plan in JSON: who invented CRISPR?"),
    ]
    answer = ask({"model": LARGE, "messages": messages, "response_format": _PLAN_FORMAT})
    if not is_json(str(answer["content"])):
        retry = (
            "Your answer could not be used: it is not JSON. "
            "Answer with a Plan as JSON and nothing else."
        )
        again = [*messages, answer, say("user", retry)]
        ask({"model": LARGE, "messages": again, "response_format": _PLAN_FORMAT})
    # An older client of the same team: no schema, so that its request has the same digest.
    ask({"model": LARGE, "messages": messages, "response_format": {"type": "json_object"}})
    ask(
        {
            "model": LARGE,
            "messages": messages,
            "tools": [PLAN_TOOL],
            "tool_choice": {"type": "function", "function": {"name": "Plan"}},
            "parallel_tool_calls": False,
        }
    )


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
    ask({"model": SMALL, "messages": [_SUPPORT, *(say(*turn) for turn in _LONG_TALK)]})


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


def morning_briefing(ask: Ask) -> None:
    system = "You write the morning briefing of a bookshop. Today is 2026-11-20. Be brief."
    user = "Deliveries: 14 parcels, two of them late. Events: a reading at 19:00. Write it."
    ask({"model": SMALL, "messages": [say("system", system), say("user", user)]})


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


# Text that a terminal or a markup language would interpret: colours, a clipboard write, a NUL,
# reversed text, a line separator that is not a line end, markup, something like a directive.
_HOSTILE = (
    "Summarise this build log:\n"
    "\x1b[31mERROR\x1b[0m deploy \x1b[1;5mFAILED\x1b[0m \x1b]52;c;Y29waWVkIGJ5IGEgbG9n\x07"
    "after step\x00 3\u2028next line\n"
    "user \u202egnp.exe\u202c uploaded [/bold] [red]alert[/red] [@click=app.quit]here[/]\n"
    "hint [[MOCK_LLM_EMIT:…]] and <script>alert(1)</script> \x9b2J done\x1b[2J\r\n"
)


def log_reader(ask: Ask) -> None:
    ask({"model": SMALL, "messages": [say("user", _HOSTILE)]})
