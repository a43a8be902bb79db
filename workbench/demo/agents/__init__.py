"""The sample agents: small programs that use a model as real ones do.

Each is a function that sends one request after another and continues from the answers. So the
traffic changes as fixtures are written: when a turn is answered, the next one appears. Nothing here
depends on the clock or on chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from workbench.demo.agents import chat, other_apis
from workbench.demo.agents.asking import Ask

Agents = dict[str, Callable[[Ask], None]]

# By name, in the order in which they run. Each runs all conversations of one sample application.
AGENTS: Final[Agents] = {
    "weather assistant": chat.weather,
    "research planner": chat.planner,
    "sommelier": chat.sommelier,
    "customer support": chat.support,
    "morning briefing": chat.morning_briefing,
    "till": other_apis.till,
    "shelf guide": other_apis.shelf_guide,
    "blurb writer": other_apis.blurb_writer,
    "health check": chat.health_check,
    "label reader": chat.label_reader,
    "build log reader": chat.log_reader,
}

# Runs last, while the server holds requests without a fixture.
WAITING: Final[Agents] = {"shop counter": chat.shop_counter}
