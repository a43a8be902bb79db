"""Joins screenshots into one animated SVG, which needs no script to move."""

from __future__ import annotations

from collections.abc import Sequence

SECONDS_EACH = 2.2


def joined(frames: Sequence[str]) -> str:
    """One SVG that shows ``frames``, screenshots of the same size, one after the other for ever."""
    inner = [_numbered(frame, number) for number, frame in enumerate(frames)]
    head = frames[0][: frames[0].index(">") + 1]
    share = 100 / len(frames)
    style = (
        f".frame {{ visibility: hidden; animation: shown {SECONDS_EACH * len(frames)}s infinite "
        f"step-end; }} @keyframes shown {{ 0% {{ visibility: visible; }} "
        f"{share:.3f}% {{ visibility: hidden; }} }}"
    )
    groups = [
        f'<g class="frame" style="animation-delay: {number * SECONDS_EACH:.2f}s">{body}</g>'
        for number, body in enumerate(inner)
    ]
    return f"{head}<style>{style}</style>{''.join(groups)}</svg>\n"


def _numbered(frame: str, number: int) -> str:
    """What is in a screenshot, with ids and classes of its own."""
    body = frame[frame.index(">") + 1 : frame.rindex("</svg>")]
    return body.replace("terminal", f"terminal{number}")
