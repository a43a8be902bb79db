"""Options of the terminal application, from the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.io.logs.tail import Tail
    from workbench.io.settings import Bell


@dataclass
class Launch:
    """The decisions of the command line.

    Attributes:
        server_url: URL of the server whose misses are shown at the start, if known.
        expects_server: show a message if no server answers there at the start.
        is_own: True if that server ends with the application.
        is_demo: True if all files are in a folder that is deleted at the end.
        notes: sentences for the status line at the start.
        on_ready: called once when the first screen is drawn (the server and sample traffic start
            then); raises UserError.
        plain: draw with plain characters.
        bell: how to call a person when a request is held.
        welcome: show the hint of the first start.
        keys: other keys for bindings, by their ids.
        upstream_url: URL of the API for drafts; "" for none.
        theme: the name of the first theme; "" for the default.
        keep_theme: called with the name of a theme that is chosen.
        start_server: starts a server and returns its URL and log; raises UserError.
        play_sample: sends sample traffic to a server URL, in a thread.
    """

    tails: Sequence[Tail] = ()
    server_url: str | None = None
    is_own: bool = False
    expects_server: bool = False
    is_demo: bool = False
    notes: list[str] = field(default_factory=list)
    on_ready: Callable[[], None] | None = None
    plain: bool = False
    bell: Bell = "off"
    welcome: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    upstream_url: str = ""
    theme: str = ""
    keep_theme: Callable[[str], None] | None = None
    start_server: Callable[[], tuple[str, Path]] | None = None
    play_sample: Callable[[str], None] | None = None
