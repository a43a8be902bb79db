"""Pictures that follow one another in one SVG."""

from __future__ import annotations

from collections.abc import Sequence

SECONDS_A_FRAME = 2.8


def moving(frames: Sequence[str]) -> str:
    """One SVG that shows pictures of the same size one after the other, for ever. It needs no
    script: GitHub shows none that has one. The first picture lies below the others, so that a
    program that does not know animations shows it.
    """
    head = frames[0][: frames[0].index(">") + 1]
    style = (
        f".later {{ visibility: hidden; animation: {SECONDS_A_FRAME * len(frames):.1f}s step-end "
        f"infinite shown; }} @keyframes shown {{ 0% {{ visibility: visible; }} "
        f"{100 / len(frames):.3f}% {{ visibility: hidden; }} }}"
    )
    first, *others = (_numbered(frame, number) for number, frame in enumerate(frames))
    groups = [
        f'<g class="later" style="animation-delay: {number * SECONDS_A_FRAME:.1f}s">{frame}</g>'
        for number, frame in enumerate(others, 1)
    ]
    return f"{head}<style>{style}</style><g>{first}</g>{''.join(groups)}</svg>\n"


def _numbered(frame: str, number: int) -> str:
    """What is in a picture, with ids and classes of its own."""
    body = frame[frame.index(">") + 1 : frame.rindex("</svg>")]
    return body.replace("terminal", f"terminal{number}")
