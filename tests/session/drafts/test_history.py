"""Going back and forth between the states of a draft."""

from __future__ import annotations

from workbench.core.fixture.document import new_document
from workbench.session.drafts.history import (
    LONGEST_STEP,
    MOST_CHARACTERS,
    MOST_STATES,
    PAUSE,
    DraftHistory,
    DraftState,
)
from workbench.session.drafts.store import Draft

DIGEST = "d" * 64
TEXT = new_document(DIGEST, {"content": ""}).text


def state(text: str, **shown: str) -> DraftState:
    return DraftState(text, False, shown)


def back(history: DraftHistory) -> list[str]:
    """The texts from the present one back to the first."""
    texts = [history.present.text]
    while (before := history.go(-1)) is not None:
        texts.append(before.text)
    return texts


def test_what_is_typed_without_a_pause_is_one_step() -> None:
    history = DraftHistory(state(""))
    for number, text in enumerate(["a", "ab", "abc"]):
        history.typed(state(text), ["content"], number / 10)
    assert back(history) == ["abc", ""]
    assert history.go(1) == state("abc")
    assert history.go(1) is None


def test_a_pause_another_field_a_long_text_and_an_undo_begin_a_step() -> None:
    history = DraftHistory(state(""))
    history.typed(state("a"), ["content"], 0)
    history.typed(state("ab"), ["content"], PAUSE)
    history.typed(state("abn"), ["note"], PAUSE)
    long = "abn" + "x" * (LONGEST_STEP + 1)
    history.typed(state(long), ["note"], PAUSE)
    history.typed(state(long + "y"), ["note"], PAUSE)
    assert history.go(-1) == state(long)
    history.typed(state(long + "z"), ["note"], PAUSE)
    assert history.go(1) is None
    assert back(history) == [long + "z", long, "abn", "ab", "a", ""]


def test_a_change_that_only_shows_the_draft_otherwise_is_no_step() -> None:
    history = DraftHistory(state("a"))
    history.typed(state("b"), ["raw"], 0)
    history.changed(state("b", content="b"))
    assert history.present == state("b", content="b")
    history.changed(state("c"))
    assert back(history) == ["c", "b", "a"]
    # It does not end what can be made again either.
    history.changed(state("a", content="a"))
    assert history.go(1) == state("b", content="b")


def test_the_history_is_bounded() -> None:
    history = DraftHistory(state("0"))
    for number in range(1, MOST_STATES + 10):
        history.changed(state(str(number)))
    assert len(back(history)) == MOST_STATES
    history = DraftHistory(state("first"))
    huge = ["x" * MOST_CHARACTERS, "y" * MOST_CHARACTERS]
    for text in huge:
        history.changed(state(text))
    assert back(history) == huge[::-1]


def test_a_draft_gets_back_how_its_lines_are_kept_and_is_no_draft_at_its_beginning() -> None:
    draft = Draft(DIGEST, TEXT)
    draft.keep_lines = True
    draft.set_text(TEXT.replace('""', '"a"'))
    draft.history.changed(draft.state())
    draft.keep_lines = False
    draft.set_text(TEXT.replace('""', '"b"'))
    draft.history.changed(draft.state())
    assert draft.go(-1) is not None
    assert (draft.touched, draft.keep_lines) == (True, True)
    assert draft.go(-1) is not None
    assert (draft.text, draft.touched, draft.keep_lines) == (TEXT, False, False)
    assert draft.go(-1) is None
    assert draft.go(1) is not None
    assert draft.touched


def test_a_new_skeleton_has_no_history() -> None:
    draft = Draft(DIGEST, TEXT)
    draft.set_text(TEXT.replace('""', '"skeleton"'), typed=False)
    assert draft.go(-1) is None


def test_what_was_given_up_for_the_file_can_be_brought_back() -> None:
    draft = Draft(DIGEST, TEXT)
    written, on_disk = TEXT.replace('""', '"mine"'), TEXT.replace('""', '"theirs"')
    draft.set_text(written)
    draft.history.changed(draft.state())
    draft.take_file(on_disk, None)
    draft.history.changed(draft.state())
    assert (draft.text, draft.touched) == (on_disk, False)
    assert draft.go(-1) is not None
    assert (draft.text, draft.touched) == (written, True)
