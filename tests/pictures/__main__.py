"""Writes ``tests/data/pictures`` anew."""

from __future__ import annotations

from tests.pictures.reels import REELS, take
from tests.pictures.taking import FOLDER


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for reel in REELS:
        for name, text in take(reel).items():
            (FOLDER / f"{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
