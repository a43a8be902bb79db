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
    """What the command line decided.

    Attributes:
        server_url: of the server whose misses are shown at the start, if known.
        expects_server: whether to say so if none answers there at the start.
        is_own: whether that server ends with the application.
        is_demo: whether all files are in a folder that is deleted at the end.
        notes: sentences for the status line at the start.
        on_ready: called once when the first screen is drawn (the server and sample traffic start
            then); raises UserError.
        plain: draw with plain characters.
        bell: what calls a person when a request is held.
        welcome: show the hint of the first start.
        keys: other keys for bindings, by their ids.
        upstream_url: of the API that may be asked for drafts; "" for none.
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
