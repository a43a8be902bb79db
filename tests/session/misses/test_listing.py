"""The rows of the miss list, kept up to date by what changed: the same as made anew."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.session.support import (
    LISTENING,
    answer_with,
    asked,
    chat,
    delete,
    hash_line,
    missed,
    open_session,
    take,
    write,
)
from workbench.core.digest import digest
from workbench.session.misses.filter import parse
from workbench.session.misses.listing import SORTS, Listing, Sort
from workbench.session.misses.rows import Miss
from workbench.session.session import Session

PAYLOADS = [{**chat(f"question {number}"), "model": f"gpt-{number % 3}"} for number in range(8)]
FILTERS = ["", "question", "gpt-1", "state:missing", "state:skipped", "-state:draft", "run:last"]
# In the order of their importance.
STATES = ["broken", "answered", "skipped", "draft", "no dump", "missing"]
GOOD = '{"response": {"content": "hi"}}'


def listing_of(session: Session, *payloads: dict[str, object]) -> tuple[Listing, list[str]]:
    """A listing of ``payloads``, all missed, and their digests."""
    listing = Listing(session)
    digests = asked(session, *payloads)
    listing.take(digests)
    return listing, digests


def test_new_rows_stand_in_the_order_first_seen(session: Session) -> None:
    listing, digests = listing_of(session, *PAYLOADS)
    assert list(listing.keys) == digests
    assert [listing.place(d) for d in digests] == list(range(8))
    assert listing.place("0" * 64) == -1


def test_unsupported_requests_stand_among_the_misses(session: Session) -> None:
    (first,) = asked(session, chat("first"))
    take(session, "[mock-llm] unsupported request POST /v1/x: not spoken\n" * 2)
    (last,) = asked(session, chat("last"))
    key = "POST /v1/x: not spoken"
    listing = Listing(session)
    listing.apply()
    assert (list(listing.keys), listing.open_count) == ([first, key, last], 3)
    listing.set_sort("count")
    assert list(listing.keys) == [key, first, last]
    listing.set_sort("state")
    assert list(listing.keys) == [key, first, last]
    session.decisions.skip(key)
    listing.take([key])
    assert (list(listing.keys), listing.open_count) == ([first, last], 2)


def test_done_rows_go_and_come_back_to_their_place(session: Session) -> None:
    listing, digests = listing_of(session, *PAYLOADS)
    write(session, digests[3], GOOD)
    session.decisions.skip(digests[5])
    listing.take({digests[3], digests[5]})
    assert list(listing.keys) == [d for d in digests if d not in (digests[3], digests[5])]
    assert listing.open_count == 6
    assert listing.place(digests[3]) == -1
    assert listing.nearest(digests[3]) == 3
    delete(session, digests[3])
    listing.take({digests[3]})
    assert listing.place(digests[3]) == 3
    listing.set_with_done(True)
    assert list(listing.keys) == digests
    assert listing.is_done(digests[5])
    assert not listing.is_done(digests[3])


def test_the_row_looked_at_stays_until_it_is_left(session: Session) -> None:
    listing, digests = listing_of(session, *PAYLOADS)
    listing.keep(digests[2])
    write(session, digests[2], GOOD)
    listing.take({digests[2]})
    assert listing.place(digests[2]) == 2
    listing.keep(digests[0])
    assert listing.place(digests[2]) == -1


def test_orders(session: Session) -> None:
    listing, (a, b, c, d) = listing_of(session, *PAYLOADS[:4])
    take(session, missed(PAYLOADS[1], PAYLOADS[1], PAYLOADS[0]))
    session.decisions.skip(a)
    write(session, d, "{")
    listing.set_with_done(True)
    listing.take({a, d})
    expected: dict[Sort, list[str]] = {
        "first seen": [a, b, c, d],
        "last seen": [a, b, d, c],
        "count": [b, a, c, d],
        "state": [d, a, b, c],
        "model": [a, d, b, c],
    }
    for sort in SORTS:
        listing.set_sort(sort)
        assert list(listing.keys) == expected[sort], sort
        assert listing.sort == sort


def test_a_request_that_is_not_known_comes_last_by_model(session: Session) -> None:
    listing = Listing(session)
    take(session, hash_line(PAYLOADS[0]), missed(PAYLOADS[2], PAYLOADS[1]))
    listing.set_sort("model")
    assert list(listing.keys) == [digest(PAYLOADS[n]) for n in (1, 2, 0)]


def test_nothing_moves_until_the_order_is_applied(session: Session) -> None:
    listing, (a, b) = listing_of(session, *PAYLOADS[:2])
    listing.set_sort("count")
    (c,) = asked(session, PAYLOADS[2])
    take(session, missed(PAYLOADS[1], PAYLOADS[2], PAYLOADS[2]))
    listing.take({b, c})
    assert list(listing.keys) == [a, b, c]
    assert listing.moves
    listing.apply()
    assert list(listing.keys) == [c, b, a]


def test_only_what_can_move_is_said_to(session: Session) -> None:
    listing = Listing(session)
    for sort in SORTS:
        listing.set_sort(sort)
        assert listing.moves is (sort in ("last seen", "count", "state"))
    listing.set_sort("model")
    for text, moves in (("a model:b", False), ("state:missing", True), ("-run:last", True)):
        listing.set_filter(parse(text))
        assert listing.moves is moves


def test_a_filter_hides_and_counts(session: Session) -> None:
    listing, digests = listing_of(session, *PAYLOADS)
    session.decisions.skip(digests[1])
    listing.take({digests[1]})
    listing.set_filter(parse("gpt-1"))
    assert list(listing.keys) == [digests[4], digests[7]]
    assert listing.hidden_count == 5
    assert listing.open_count == 7
    assert listing.nearest(digests[5]) == 1
    listing.set_filter(parse("state:skipped"))
    assert list(listing.keys) == [digests[1]]
    listing.set_filter(parse(""))
    assert list(listing.keys) == [d for d in digests if d != digests[1]]
    assert listing.hidden_count == 0


def test_a_late_dump_makes_a_row_match(session: Session) -> None:
    listing = Listing(session)
    listing.set_filter(parse("gpt-1"))
    take(session, hash_line(PAYLOADS[1]))
    listing.take({digest(PAYLOADS[1])})
    assert list(listing.keys) == []
    listing.take(take(session, missed(PAYLOADS[1])))
    assert list(listing.keys) == [digest(PAYLOADS[1])]


def test_the_last_run_is_the_last_at_any_time(session: Session) -> None:
    listing = Listing(session)
    listing.set_filter(parse("run:last"))
    listing.take(take(session, LISTENING, missed(PAYLOADS[0], PAYLOADS[1])))
    assert len(listing.keys) == 2
    listing.take(take(session, LISTENING, missed(PAYLOADS[1])))
    assert list(listing.keys) == [digest(PAYLOADS[1])]


class Changing(RuleBasedStateMachine):
    """Anything that happens to misses, told as it is told to the list."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.session = open_session(Path(self.folder.name))
        self.listing = Listing(self.session)
        # The order when it was applied last.
        self.order: list[str] = []

    def teardown(self) -> None:
        self.session.close()
        self.folder.cleanup()

    @property
    def digests(self) -> list[str]:
        return list(self.session.book.misses)

    def told(self, changed: Iterable[str]) -> None:
        self.listing.take(changed)
        self.order += [d for d in self.digests if d not in self.order]

    @rule(numbers=st.lists(st.integers(0, len(PAYLOADS) - 1), max_size=4), dump=st.booleans())
    def log(self, numbers: list[int], dump: bool) -> None:
        line: Callable[..., str] = missed if dump else hash_line
        self.told(take(self.session, "".join(line(PAYLOADS[n]) for n in numbers)))

    @rule()
    def start_run(self) -> None:
        self.told(take(self.session, LISTENING))

    @precondition(lambda self: self.session.book.misses)
    @rule(data=st.data(), what=st.sampled_from(["skip", "write", "break", "delete", "type"]))
    def change(self, data: st.DataObject, what: str) -> None:
        one = data.draw(st.sampled_from(self.digests))
        match what:
            case "skip":
                self.session.decisions.skip(one)
            case "write":
                write(self.session, one, GOOD)
            case "break":
                write(self.session, one, "{")
            case "type" if self.session.files.broken(one) is None:
                answer_with(self.session, one, "typed")
            case "delete" if self.session.store.path(one).exists():
                delete(self.session, one)
        self.told([one])

    @rule(text=st.sampled_from(FILTERS))
    def filter(self, text: str) -> None:
        self.listing.set_filter(parse(text))

    @rule(sort=st.sampled_from(SORTS))
    def sort(self, sort: Sort) -> None:
        self.listing.set_sort(sort)
        self.note_order()

    @rule()
    def apply(self) -> None:
        self.listing.apply()
        self.note_order()

    @rule()
    def show_done(self) -> None:
        self.listing.set_with_done(not self.listing.with_done)

    @rule(data=st.data())
    def keep(self, data: st.DataObject) -> None:
        self.listing.keep(data.draw(st.sampled_from([None, *self.digests])))

    def note_order(self) -> None:
        ranks: dict[Sort, Callable[[Miss], object]] = {
            "first seen": lambda _: 0,
            "last seen": lambda miss: -miss.asked,
            "count": lambda miss: -miss.count,
            "state": lambda miss: STATES.index(self.session.state(miss.digest).kind),
            "model": lambda miss: (0, miss.summary.model) if miss.summary else (1, ""),
        }
        rank = ranks[self.listing.sort]
        misses = self.session.book.misses
        self.order = sorted(misses, key=lambda d: rank(misses[d]))  # type: ignore[arg-type,return-value]

    def wanted(self, one: str) -> bool:
        listing, session = self.listing, self.session
        if one == listing.kept:
            return True
        hidden = session.state(one).is_done and not (listing.with_done or listing.filter.asks_done)
        return not hidden and listing.filter.matches(session.book.misses[one], session)

    @invariant()
    def is_as_made_anew(self) -> None:
        expected = [d for d in self.order if self.wanted(d)]
        assert list(self.listing.keys) == expected
        assert [self.listing.place(d) for d in expected] == list(range(len(expected)))
        still_open = [d for d in self.digests if not self.session.state(d).is_done]
        assert self.listing.open_count == len(still_open)


TestChanging = Changing.TestCase
TestChanging.settings = settings(stateful_step_count=25)
