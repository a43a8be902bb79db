"""A client that is tried, and what is known of it before it is installed.

Imported where a client is installed, too, which this project is not: it needs the standard library
alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

TOOLS, STREAM, STRUCTURED, EMBEDDINGS = "tools", "stream", "structured", "embeddings"
OF_CHAT: Final = (TOOLS, STREAM, STRUCTURED)
MODES: Final = (*OF_CHAT, EMBEDDINGS)

QUESTION: Final = "What is the weather in Rome and in Oslo?"
STRUCTURED_QUESTION: Final = "Where is it warm, and how warm?"

# What asks in one of the modes, and returns the answer. That of STRUCTURED is a JSON object; in the
# mode EMBEDDINGS it stores the question, and returns what it finds for it.
Ask = Callable[[str], str]


@dataclass(frozen=True)
class Client:
    """A client, and how it is tried.

    Attributes:
        name: on the command line; unique.
        api: the name of the API that it asks.
        packages: of PyPI or npm, whose versions are told.
        line: what a shell runs, with ``$MODE``, ``$QUESTION`` and ``$INSTALLED``, the folder with
            its packages.
        language: ``Python`` or ``JavaScript``; ``Programs``: it is one.
        beside: packages that are installed with it.
        part: of the packages: a class or a prefix of models.
        modes: those of MODES that it has.
        needs: what the user writes, if it does not find the server as it comes.
        intercept: it is run with ``--intercept``.
        environment: variables of its own, beside those of ``workbench run``.
        replies: what a model would say in turn, as options of ``promote``; none: two calls of the
            weather, then the answer.
    """

    name: str
    api: str
    packages: tuple[str, ...]
    line: str
    language: str
    beside: tuple[str, ...] = ()
    part: str = ""
    modes: tuple[str, ...] = OF_CHAT
    needs: str = ""
    intercept: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    replies: tuple[tuple[str, ...], ...] = ()

    @property
    def all_packages(self) -> tuple[str, ...]:
        return (*self.packages, *self.beside)


PYTHON: dict[str, Client] = {}
"""The clients for Python, by name."""
ASKS: dict[str, Ask] = {}
"""What asks with each of them."""


def client(
    name: str,
    api: str,
    *packages: str,
    beside: tuple[str, ...] = (),
    part: str = "",
    modes: tuple[str, ...] = OF_CHAT,
    needs: str = "",
    intercept: bool = False,
    environment: dict[str, str] | None = None,
    replies: tuple[tuple[str, ...], ...] = (),
) -> Callable[[Ask], Ask]:
    """Makes the function below it a client for Python. It imports the packages where it is called,
    and uses them as their own quick starts do.
    """

    def register(ask: Ask) -> Ask:
        name_of_all = f"py-{name}"
        assert name_of_all not in PYTHON, name_of_all
        PYTHON[name_of_all] = Client(
            name=name_of_all,
            api=api,
            packages=packages,
            line=f'python -P -m tests.clients.agents {name_of_all} "$MODE"',
            language="Python",
            beside=beside,
            part=part,
            modes=modes,
            needs=needs,
            intercept=intercept,
            environment=environment or {},
            replies=replies,
        )
        ASKS[name_of_all] = ask
        return ask

    return register
