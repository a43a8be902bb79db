"""The sample agents: small programs that use a model as real ones do.

Each is a function that sends one request after another and continues from the answers. So the
traffic changes as fixtures are written: when a turn is answered, the next one appears. Nothing here
depends on the clock or on chance.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from workbench.demo.client import Message

# Sends one request and returns the assistant's message.
Ask = Callable[[dict[str, Any]], Message]
Tool = Callable[[dict[str, Any]], object]

SMALL, LARGE = "gpt-4o-mini", "gpt-4o"
CLAUDE, GEMINI = "claude-sonnet-4-6", "gemini-2.5-flash"
MAX_TURNS = 4


def _say(role: str, text: str) -> Message:
    return {"role": role, "content": text}


def _function(
    name: str, description: str, required: list[str], **properties: Any
) -> dict[str, Any]:
    """A tool in the form of a request."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _run_calls(message: Message, tools: dict[str, Tool]) -> list[Message]:
    """The results of the tool calls in ``message``, one message for each."""
    results = []
    for call in message.get("tool_calls") or []:
        function = call["function"]
        try:
            result = tools[function["name"]](json.loads(function["arguments"]))
        except (LookupError, TypeError, ValueError) as error:
            result = {"error": f"{type(error).__name__}: {error}"}
        content = json.dumps(result, ensure_ascii=False)
        results.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return results


# A weather assistant: a tool call, its result, an answer.

GET_WEATHER = _function(
    "get_weather",
    "Current weather of a city.",
    ["city"],
    city={"type": "string", "description": "Name of the city, in English."},
    unit={"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
)
_WEATHER = {
    "London": {"temperature": 12, "sky": "light rain", "wind_kmh": 19},
    "Lisbon": {"temperature": 21, "sky": "clear", "wind_kmh": 8},
}
_WEATHER_SYSTEM = (
    "You are a weather assistant. Call get_weather for each city you are asked about, "
    "then answer in one sentence."
)


def _weather(ask: Ask) -> None:
    tools: dict[str, Tool] = {"get_weather": lambda arguments: _WEATHER[arguments["city"]]}
    for question in ("What's the weather in London?", "Do I need an umbrella in Lisbon?"):
        messages = [_say("system", _WEATHER_SYSTEM), _say("user", question)]
        for _ in range(MAX_TURNS):
            answer = ask({"model": SMALL, "messages": messages, "tools": [GET_WEATHER]})
            results = _run_calls(answer, tools)
            if not results:
                break
            messages = [*messages, answer, *results]


# A research planner: structured output, in the three ways in which applications ask for it.

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


def _planner(ask: Ask) -> None:
    messages = [
        _say("system", "You plan research for a team. Answer with a Plan as JSON."),
        _say("user", "Plan in JSON: who invented CRISPR?"),
    ]
    answer = ask({"model": LARGE, "messages": messages, "response_format": _PLAN_FORMAT})
    if not _is_json(answer["content"]):
        retry = (
            "Your answer could not be used: it is not JSON. "
            "Answer with a Plan as JSON and nothing else."
        )
        again = [*messages, answer, _say("user", retry)]
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


def _is_json(text: object) -> bool:
    try:
        json.loads(text if isinstance(text, str) else "")
    except ValueError:
        return False
    return True


# A sommelier: two tools, one of which must be called.

SEARCH_WINES = _function(
    "search_wines",
    "Search the wine catalogue.",
    ["query"],
    query={"type": "string", "description": "What the wine should be like."},
    colour={"type": "string", "enum": ["red", "white", "rosé", "sparkling"]},
    max_price={"type": "number", "minimum": 0, "description": "Euros a bottle."},
)
ASK_USER = _function(
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


def _sommelier(ask: Ask) -> None:
    tools: dict[str, Tool] = {
        "search_wines": _search_wines,
        "ask_user": lambda _: "Something with bubbles, around 15 euros.",
    }
    for wish in ("Red wine under 30 for Sunday's lamb, please.", "Something for a party?"):
        messages = [
            _say("system", "You are the sommelier of a wine shop. Recommend from the catalogue."),
            _say("user", wish),
        ]
        for turn in range(MAX_TURNS):
            answer = ask(
                {
                    "model": SMALL,
                    "temperature": 0.3,
                    "messages": messages,
                    "tools": [SEARCH_WINES, ASK_USER],
                    "tool_choice": "required" if turn < 2 else "auto",
                }
            )
            results = _run_calls(answer, tools)
            if not results:
                break
            messages = [*messages, answer, *results]


# Customer support: plain text, some of it streamed, and one long conversation.

_SUPPORT = _say(
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


def _support(ask: Ask) -> None:
    def about(question: str, **more: Any) -> None:
        ask({"model": SMALL, "messages": [_SUPPORT, _say("user", question)], **more})

    about("How do I reset my password?")
    about("Where do I find my invoices?", stream=True)
    about("Please cancel my subscription.", stream=True, stream_options={"include_usage": True})
    about("Do you ship to Norway?")
    ask({"model": SMALL, "messages": [_SUPPORT, *(_say(*said) for said in _LONG_TALK)]})


# A briefing whose prompt contains the date, so that tomorrow it is another request. Its fixture is
# one day old. (A real agent would take the date from the clock.)

_TODAY = "2026-11-20"


def briefing(day: str) -> dict[str, Any]:
    """The request of one day, as ``2026-11-20``."""
    system = f"You write the morning briefing of a bookshop. Today is {day}. Be brief."
    user = "Deliveries: 14 parcels, two of them late. Events: a reading at 19:00. Write it."
    return {"model": SMALL, "messages": [_say("system", system), _say("user", user)]}


def _morning_briefing(ask: Ask) -> None:
    ask(briefing(_TODAY))


# One agent for each of the other APIs, with requests as its official client writes them.

_RATES = {"EUR": 1.0, "GBP": 1.15, "NOK": 0.085}
_CONVERT = {
    "type": "function",
    "name": "convert",
    "description": "Convert an amount of money.",
    "parameters": {
        "type": "object",
        "properties": {
            "amount": {"type": "number"},
            "source": {"type": "string", "enum": [*_RATES]},
            "target": {"type": "string", "enum": [*_RATES]},
        },
        "required": ["amount", "source", "target"],
        "additionalProperties": False,
    },
    "strict": True,
}


def _convert(arguments: dict[str, Any]) -> object:
    euros = arguments["amount"] * _RATES[arguments["source"]]
    return round(euros / _RATES[arguments["target"]], 2)


def _till(ask: Ask) -> None:
    """Over the Responses API."""
    items: list[dict[str, Any]] = [_say("user", "A customer pays 25 pounds. How much is it here?")]
    for _ in range(MAX_TURNS):
        answer = ask(
            {
                "api": "responses",
                "model": LARGE,
                "instructions": "You work at the till of a bookshop in Lisbon.",
                "input": items,
                "tools": [_CONVERT],
            }
        )
        results = _run_calls(answer, {"convert": _convert})
        if not results:
            break
        calls = [
            {"type": "function_call", "call_id": call["id"], **call["function"]}
            for call in answer["tool_calls"]
        ]
        outputs = [
            {
                "type": "function_call_output",
                "call_id": result["tool_call_id"],
                "output": result["content"],
            }
            for result in results
        ]
        items = [*items, *calls, *outputs]


_SHELF = {"The Baltimore Atlas": "B4", "A Field Guide to Clouds": "D1"}
_FIND_SHELF = {
    "name": "find_shelf",
    "description": "Where a book stands.",
    "input_schema": {
        "type": "object",
        "properties": {"title": {"type": "string"}},
        "required": ["title"],
    },
}


def _shelf_guide(ask: Ask) -> None:
    """Over the Messages API."""
    messages: list[dict[str, Any]] = [_say("user", "Where is the field guide to clouds?")]
    tools: dict[str, Tool] = {"find_shelf": lambda arguments: _SHELF[arguments["title"]]}
    for _ in range(MAX_TURNS):
        answer = ask(
            {
                "api": "messages",
                "model": CLAUDE,
                "max_tokens": 1024,
                "system": "You show customers of a bookshop the way. One sentence.",
                "messages": messages,
                "tools": [_FIND_SHELF],
            }
        )
        results = _run_calls(answer, tools)
        if not results:
            break
        calls = [
            {
                "type": "tool_use",
                "id": call["id"],
                "name": call["function"]["name"],
                "input": json.loads(call["function"]["arguments"]),
            }
            for call in answer["tool_calls"]
        ]
        outputs = [
            {
                "type": "tool_result",
                "tool_use_id": result["tool_call_id"],
                "content": result["content"],
            }
            for result in results
        ]
        messages = [*messages, _turn("assistant", calls), _turn("user", outputs)]


def _turn(role: str, content: list[dict[str, Any]]) -> Message:
    return {"role": role, "content": content}


def _blurb_writer(ask: Ask) -> None:
    """Over the Gemini API."""
    prompt = "A blurb for A Field Guide to Clouds: a headline and two sentences."
    schema = {
        "type": "OBJECT",
        "properties": {"headline": {"type": "STRING"}, "text": {"type": "STRING"}},
        "required": ["headline", "text"],
    }
    ask(
        {
            "api": "gemini",
            "model": GEMINI,
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "systemInstruction": {"parts": [{"text": "You write for the window of a bookshop."}]},
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": schema,
            },
        }
    )


# Three agents with one request each.


def _health_check(ask: Ask) -> None:
    for _ in range(3):
        ask({"model": SMALL, "max_tokens": 5, "messages": [_say("user", "Reply with OK.")]})


# One grey pixel.
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
)


def _label_reader(ask: Ask) -> None:
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


def _log_reader(ask: Ask) -> None:
    ask({"model": SMALL, "messages": [_say("user", _HOSTILE)]})


# By name, in the order in which they run. Each runs all conversations of one sample application.
AGENTS: Final[dict[str, Callable[[Ask], None]]] = {
    "weather assistant": _weather,
    "research planner": _planner,
    "sommelier": _sommelier,
    "customer support": _support,
    "morning briefing": _morning_briefing,
    "till": _till,
    "shelf guide": _shelf_guide,
    "blurb writer": _blurb_writer,
    "health check": _health_check,
    "label reader": _label_reader,
    "build log reader": _log_reader,
}
