"""How wide the columns of the list of misses are."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple, Self

# The widths of lists from which they have a column, or more of it: in terminals of 80, 110, 140 and
# 180 columns. The frame and a scroll bar take the rest.
MODEL_FROM: Final = 77
WORD_FROM: Final = 107
TEST_FROM: Final = 137
LONG_TEST_FROM: Final = 177
_STEPS: Final = (MODEL_FROM, WORD_FROM, TEST_FROM, LONG_TEST_FROM)

# The marks before a row, its age, and the blanks after its request.
MARKS: Final = 2
AGE: Final = 5
GAP: Final = 2

# The least cells for the text of a request, by the width of the list.
_LEAST_TEXT: Final = ((0, 0), (57, 26), (77, 37), (97, 51), (117, 71), (157, 101), (217, 146))


# Without words, and with them.
STATE: Final = 10
LONG_STATE: Final = 17
# The beginning of the name of a model, and nearly every name.
MODEL: Final = 12
LONG_MODEL: Final = 20
# In fewer cells a column with a test is useless.
LEAST_TEST: Final = 8


class MissWidths(NamedTuple):
    """The cells of each column, 0 if it is left out. The text of a request never gets fewer in a
    wider list: spare cells that are too few for another column are added to the shown ones.

    Attributes:
        request: the rest after the other columns.
        text: how many of these cells the text of the request may take.
        least_text: how many of them are reserved for that text.
        has_words: a state has its word, if that fits.
    """

    state: int
    request: int
    model: int
    test: int
    text: int
    least_text: int
    has_words: bool

    @classmethod
    def of(cls, width: int, *, has_models: bool, has_tests: bool) -> Self:
        """The widths in a list of ``width`` cells.

        Args:
            has_models: there are several models.
            has_tests: some rows have the tests that sent them.
        """

        def columns(width: int) -> tuple[int, int, int]:
            state = LONG_STATE if width >= WORD_FROM else STATE
            long_from = LONG_TEST_FROM if has_tests else TEST_FROM
            model = 0 if width < MODEL_FROM else MODEL if width < long_from else LONG_MODEL
            test = 0 if width < TEST_FROM else 14 if width < LONG_TEST_FROM else 24
            return state, model if has_models else 0, test if has_tests else 0

        def request(width: int) -> int:
            return max(width - MARKS - sum(columns(width)) - AGE, 0)

        state, model, test = columns(width)
        most = min(request(each) for each in (width, *(s for s in _STEPS if s > width)))
        text, spare = max(most - GAP, 0), request(width) - most
        if has_tests and width >= WORD_FROM and test + spare >= LEAST_TEST:
            test += spare
        elif model:
            model += spare
        elif MODEL_FROM <= width < WORD_FROM:
            state += spare
        left = max(width - MARKS - state - model - test - AGE, 0)
        least = min(_least_text(width), text)
        return cls(state, left, model, test, text, least, state > STATE)


def _least_text(width: int) -> int:
    for (begin, least), (end, most) in pairwise(_LEAST_TEXT):
        if width < end:
            return least + (width - begin) * (most - least) // (end - begin)
    return _LEAST_TEXT[-1][1]
