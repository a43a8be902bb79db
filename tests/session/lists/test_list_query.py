"""The generic list query, tried on the list of misses: kept up to date by what changed, it is the
same as one that is made from the start.
"""

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
    second_turn,
    take,
    write,
)
from workbench.core.digest import digest
from workbench.core.misses.miss import Miss
from workbench.session.lists.filters import FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.misses.miss_query import miss_query
from workbench.session.misses.states import state_of
from workbench.session.session import Session

PAYLOADS = [{**chat(f"question {number}"), "model": f"gpt-{number % 3}"} for number in range(8)]
# Two conversations, whose later turns come between other requests.
TURNS = [
    *PAYLOADS[:3],
    *({**second_turn("question 0", answer), "model": "gpt-0"} for answer in ("one", "other")),
    PAYLOADS[5],
    {**second_turn("question 2"), "model": "gpt-2"},
    {**second_turn("question 1"), "model": "gpt-1"},
]
FILTERS = ["", "question", "gpt-1", "state:missing", "state:skipped", "-state:draft", "run:last"]
# In the order of their importance.
STATES = ["broken", "answered", "skipped", "draft", "blocked", "unlogged", "missing"]
GOOD = '{"response": {"content": "hi"}}'


SORTS = ["conversation", "last seen", "count", "state", "model"]


def query_of(session: Session, *payloads: dict[str, object]) -> tuple[ListQuery[Miss], list[str]]:
    """A query of ``payloads``, all missed, and their digests."""
    query = miss_query(session)
    digests = asked(session, *payloads)
    query.update(digests)
    return query, digests


def test_new_rows_stand_in_the_order_first_seen(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS)
    assert list(query.keys) == digests
    assert [query.place(d) for d in digests] == list(range(8))
    assert query.place("0" * 64) == -1


def test_unsupported_requests_stand_among_the_misses(session: Session) -> None:
    (first,) = asked(session, chat("first"))
    take(session, "[mock-llm] unsupported request POST /v1/x: not supported\n" * 2)
    (last,) = asked(session, chat("last"))
    key = "POST /v1/x: not supported"
    query = miss_query(session)
    query.refresh()
    assert (list(query.keys), query.open_count) == ([first, key, last], 3)
    query.set_order("count")
    assert list(query.keys) == [key, first, last]
    query.set_order("state")
    assert list(query.keys) == [key, first, last]
    session.decisions.skip(key)
    query.update([key])
    assert (list(query.keys), query.open_count) == ([first, last], 2)


def test_done_rows_go_and_come_back_to_their_place(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS)
    write(session, digests[3], GOOD)
    session.decisions.skip(digests[5])
    query.update({digests[3], digests[5]})
    assert list(query.keys) == [d for d in digests if d not in (digests[3], digests[5])]
    assert query.open_count == 6
    assert query.place(digests[3]) == -1
    assert query.place_near(digests[3], -1) == 3
    delete(session, digests[3])
    query.update({digests[3]})
    assert query.place(digests[3]) == 3
    query.set_with_done(True)
    assert list(query.keys) == digests
    assert query.is_done(digests[5])
    assert not query.is_done(digests[3])


def test_the_selected_row_stays_until_another_is_selected(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS)
    query.select(digests[2])
    write(session, digests[2], GOOD)
    query.update({digests[2]})
    assert query.place(digests[2]) == 2
    query.select(digests[0])
    assert query.place(digests[2]) == -1
    query.select(digests[2])  # a hidden one comes into view
    assert query.selected_place == 2
    query.set_filter_text("question")
    assert query.place(digests[2]) == -1


def test_a_decision_takes_the_selected_row_away_and_the_next_is_selected(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS[:3])
    for number, selected in ((1, digests[2]), (2, digests[0]), (0, None)):
        query.select(digests[number])
        session.decisions.skip(digests[number])
        query.update([digests[number]])
        assert query.selected == selected


def test_nothing_is_selected_while_the_selection_rests(session: Session) -> None:
    query = miss_query(session)
    query.update(take(session, missed(PAYLOADS[0], PAYLOADS[1])))
    query.offer(None)
    query.update(take(session, missed(PAYLOADS[2])))
    query.sort()
    assert query.selected is None
    query.select(query.keys[0])
    assert query.selected == digest(PAYLOADS[0])


# What comes first


class WithBlock:
    """A list of letters in groups by their case, some of which come first."""

    def __init__(self, keys: str = "aAbBcC") -> None:
        self.first: list[str] = []
        self.query = ListQuery(
            {key: key for key in keys},
            FilterLanguage[str](lambda word: lambda item: word == item.lower()),
            [Order("as given"), Order("backwards", lambda key: -ord(key))],
            group=lambda key: (key.lower(), key.islower()),
            first=lambda: self.first,
        )
        self.query.refresh()

    def wait(self, keys: str) -> None:
        """These come first from now on."""
        changed, self.first = {*self.first, *keys}, list(keys)
        self.query.update(changed)

    @property
    def shown(self) -> str:
        """The rows, with a line between the block and the rest."""
        keys, end = "".join(self.query.keys), len(self.query.block)
        return f"{keys[:end]}|{keys[end:]}"


def test_what_comes_first_stands_at_the_top_whatever_the_order_is() -> None:
    listed = WithBlock()
    query = listed.query
    assert listed.shown == "|AaBbCc"
    listed.wait("cB")
    assert listed.shown == "cB|AabC"
    assert [query.place(key) for key in "cBAabC"] == [0, 1, 2, 3, 4, 5]
    assert [query.begins_group(key) for key in "cBAabC"] == [True, True, True, False, True, True]
    query.set_order("backwards")
    assert listed.shown == "cB|AabC"[:3] + "Cb" + "Aa"
    listed.wait("B")
    assert listed.shown == "B|CcbAa"
    listed.wait("")
    assert listed.shown == "|CcBbAa"
    query.update(["c"])
    query.items["x"] = "x"
    query.update()
    assert listed.shown == "|CcBbAax"


def test_filters_and_folding_work_with_what_comes_first() -> None:
    listed = WithBlock()
    query = listed.query
    listed.wait("cB")
    query.set_filter_text("b")
    assert listed.shown == "B|b"
    query.set_filter_text("")
    assert query.fold("a")
    assert listed.shown == "cB|AbC"
    assert not query.fold("b"), "the other one waits"
    assert not query.fold("c")
    query.fold("A")
    listed.wait("acB")
    assert listed.shown == "acB|AbC"
    assert not query.is_folded("A")
    query.select("a")
    listed.wait("cB")
    assert listed.shown == "cB|AabC", "it is selected"
    assert query.selected == "a"
    query.select("c")
    assert listed.shown == "cB|AbC"


def test_what_comes_first_is_selected_until_a_person_selects() -> None:
    listed = WithBlock()
    query = listed.query
    assert query.selected == "A"
    listed.wait("cB")
    assert query.selected == "c"
    listed.wait("acB")
    assert query.selected == "c", "it waits, too"
    listed.wait("aB")
    assert query.selected == "c", "it is not taken away"
    query.select("b")
    listed.wait("aBC")
    assert query.selected == "b", "a person selected it"
    query.offer("A")
    listed.wait("aBC")
    assert query.selected == "A", "nothing joined the block"
    listed.wait("aBCb")
    assert query.selected == "b"
    query.offer(None)
    listed.wait("aBC")
    listed.wait("caBC")
    assert query.selected == "c"


def test_the_selection_stays_on_its_key(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS[:4])
    query.select(digests[3])
    query.set_order("model")
    assert (query.selected, query.selected_place) == (digests[3], 1)
    query.select("0" * 64)
    assert query.selected == digests[3]
    query.set_items({key: row for key, row in query.items.items() if key != digests[3]})
    assert query.selected == digests[1], "what took its place"


def test_the_selection_comes_back_when_a_filter_found_nothing(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS[:4])
    query.select(digests[2])
    for text, selected in (("que", digests[2]), ("queue", None), ("", digests[2])):
        query.set_filter_text(text)
        assert query.selected == selected


def test_a_filter_that_is_not_understood_hides_nothing(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS[:4])
    query.set_filter_text("turn:x")
    assert query.error == "turn: takes a number, like turn:2 or turn:>1."
    assert (list(query.keys), query.filter_text) == (digests, "turn:x")
    query.set_filter_text("turn:1")
    assert query.error == ""


def test_the_next_wanted_row_is_found_round_the_end(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS[:4])
    query.select(digests[2])
    wanted = {digests[0], digests[2]}
    assert query.next_place(wanted.__contains__, 1) == 0
    assert query.next_place(wanted.__contains__, -1) == 0
    assert query.next_place({digests[2]}.__contains__, 1) is None


def test_orders(session: Session) -> None:
    query, (a, b, c, d) = query_of(session, *PAYLOADS[:4])
    take(session, missed(PAYLOADS[1], PAYLOADS[1], PAYLOADS[0]))
    session.decisions.skip(a)
    write(session, d, "{")
    query.set_with_done(True)
    query.update({a, d})
    expected: dict[str, list[str]] = {
        "conversation": [a, b, c, d],
        "last seen": [a, b, d, c],
        "count": [b, a, c, d],
        "state": [d, a, b, c],
        "model": [a, d, b, c],
    }
    for sort in SORTS:
        query.set_order(sort)
        assert list(query.keys) == expected[sort], sort
        assert query.order.name == sort


def test_a_request_that_is_not_known_comes_last_by_model(session: Session) -> None:
    query = miss_query(session)
    take(session, hash_line(PAYLOADS[0]), missed(PAYLOADS[2], PAYLOADS[1]))
    query.set_order("model")
    assert list(query.keys) == [digest(PAYLOADS[n]) for n in (1, 2, 0)]


def test_nothing_moves_until_the_order_is_applied(session: Session) -> None:
    query, (a, b) = query_of(session, *PAYLOADS[:2])
    query.set_order("count")
    (c,) = asked(session, PAYLOADS[2])
    take(session, missed(PAYLOADS[1], PAYLOADS[2], PAYLOADS[2]))
    query.update({b, c})
    assert list(query.keys) == [a, b, c]
    assert query.is_volatile
    query.refresh()
    assert list(query.keys) == [c, b, a]


def test_only_what_can_move_is_said_to(session: Session) -> None:
    query = miss_query(session)
    for sort in SORTS:
        query.set_order(sort)
        assert query.is_volatile is (sort in ("last seen", "count", "state"))
    query.set_order("model")
    for text, moves in (("a model:b", False), ("state:missing", True), ("-run:last", True)):
        query.set_filter_text(text)
        assert query.is_volatile is moves


def test_a_filter_hides_and_counts(session: Session) -> None:
    query, digests = query_of(session, *PAYLOADS)
    session.decisions.skip(digests[1])
    query.update({digests[1]})
    query.set_filter_text("gpt-1")
    assert list(query.keys) == [digests[4], digests[7]]
    assert query.filtered_count == 5
    assert query.open_count == 7
    assert query.place_near(digests[5], -1) == 1
    query.set_filter_text("state:skipped")
    assert list(query.keys) == [digests[1]]
    query.set_filter_text("")
    assert list(query.keys) == [d for d in digests if d != digests[1]]
    assert query.filtered_count == 0


def test_a_late_dump_makes_a_row_match(session: Session) -> None:
    query = miss_query(session)
    query.set_filter_text("gpt-1")
    take(session, hash_line(PAYLOADS[1]))
    query.update({digest(PAYLOADS[1])})
    assert list(query.keys) == []
    query.update(take(session, missed(PAYLOADS[1])))
    assert list(query.keys) == [digest(PAYLOADS[1])]


def test_the_last_run_is_the_last_at_any_time(session: Session) -> None:
    query = miss_query(session)
    query.set_filter_text("run:last")
    query.update(take(session, LISTENING, missed(PAYLOADS[0], PAYLOADS[1])))
    assert len(query.keys) == 2
    query.select(digest(PAYLOADS[1]))
    query.update(take(session, LISTENING, missed(PAYLOADS[1])))
    assert list(query.keys) == [digest(PAYLOADS[1])]


class Changing(RuleBasedStateMachine):
    """Anything that happens to misses, told as it is told to the list."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.session = open_session(Path(self.folder.name))
        self.query = miss_query(self.session)
        # The order applied last, were there no conversations, and where each of these stands.
        self.order: list[str] = []
        self.conversations: dict[str | None, int] = {}
        self.folded: set[str | None] = set()

    def teardown(self) -> None:
        self.session.close()
        self.folder.cleanup()

    @property
    def digests(self) -> list[str]:
        return list(self.session.miss_index.misses)

    def told(self, changed: Iterable[str]) -> None:
        is_first = not self.order
        self.query.update(changed)
        self.order += [d for d in self.digests if d not in self.order]
        if is_first:  # an empty list is sorted when its first rows come
            self.note_order()
        self.note_conversations()

    @rule(numbers=st.lists(st.integers(0, len(TURNS) - 1), max_size=4), dump=st.booleans())
    def log(self, numbers: list[int], dump: bool) -> None:
        line: Callable[..., str] = missed if dump else hash_line
        self.told(take(self.session, "".join(line(TURNS[n]) for n in numbers)))

    @rule()
    def start_run(self) -> None:
        self.told(take(self.session, LISTENING))

    @precondition(lambda self: self.session.miss_index.misses)
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
            case "type" if self.session.miss_fixtures.broken(one) is None:
                answer_with(self.session, one, "typed")
            case "delete" if self.session.store.path(one).exists():
                delete(self.session, one)
        # Later turns that quote another answer go with it.
        self.told([one, *self.session.outdated.after(one)])

    @rule(text=st.sampled_from(FILTERS))
    def filter(self, text: str) -> None:
        self.query.set_filter_text(text)

    @rule(sort=st.sampled_from(SORTS))
    def sort(self, sort: str) -> None:
        self.query.set_order(sort)
        self.note_order()

    @rule()
    def apply(self) -> None:
        self.query.refresh()
        self.note_order()

    @rule()
    def show_done(self) -> None:
        self.query.set_with_done(not self.query.with_done)

    @rule(data=st.data())
    def select(self, data: st.DataObject) -> None:
        wanted = data.draw(st.sampled_from([None, *self.digests]))
        self.query.select(wanted)
        assert self.query.selected == wanted

    @precondition(lambda self: self.session.miss_index.misses)
    @rule(data=st.data())
    def fold_or_unfold(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.digests))
        conversation = self.session.miss_index.misses[one].conversation
        if conversation in self.folded:
            self.query.unfold(one)
            self.folded.remove(conversation)
        elif self.query.fold(one):
            self.folded.add(conversation)
            assert self.query.selected in self.query.members(one)

    def note_order(self) -> None:
        ranks: dict[str, Callable[[Miss], object]] = {
            "conversation": lambda _: 0,
            "last seen": lambda miss: -miss.order,
            "count": lambda miss: -miss.count,
            "state": lambda miss: STATES.index(state_of(self.session, miss.digest).kind),
            "model": lambda miss: (miss.model is None, miss.model or ""),
        }
        rank = ranks[self.query.order.name]
        misses = self.session.miss_index.misses
        self.order = sorted(misses, key=lambda d: rank(misses[d]))  # type: ignore[arg-type,return-value]
        self.conversations.clear()
        self.note_conversations()

    def note_conversations(self) -> None:
        """One that is known now stands where the first of its turns does, and stays there."""
        for number, one in enumerate(self.order):
            self.conversations.setdefault(self.session.miss_index.misses[one].conversation, number)

    def stands_by(self, one: str) -> tuple[int, int, int]:
        miss, number = self.session.miss_index.misses[one], self.order.index(one)
        first = self.conversations[miss.conversation] if miss.conversation else number
        return first, miss.turn or 0, number

    def wanted(self, one: str) -> bool:
        query, session = self.query, self.session
        if one == query.kept:
            return True
        hidden = state_of(session, one).is_done and not (query.with_done or query.filter.wants_done)
        return not hidden and query.filter.matches(session.miss_index.misses[one])

    @invariant()
    def is_as_made_anew(self) -> None:
        misses = self.session.miss_index.misses
        wanted = [d for d in sorted(self.order, key=self.stands_by) if self.wanted(d)]
        conversations = [misses[d].conversation for d in wanted]
        expected = [
            d
            for n, d in enumerate(wanted)
            if d == self.query.kept
            or conversations[n] not in self.folded
            or conversations[n] not in conversations[:n]
        ]
        assert list(self.query.keys) == expected
        assert [self.query.place(d) for d in expected] == list(range(len(expected)))
        assert self.query.kept in (None, self.query.selected)
        still_open = [d for d in self.digests if not state_of(self.session, d).is_done]
        assert self.query.open_count == len(still_open)


TestChanging = Changing.TestCase
TestChanging.settings = settings(stateful_step_count=25)
