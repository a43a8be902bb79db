"""Files that other programs change while somebody writes: what is said, and whose text is taken."""

from __future__ import annotations

from workbench.core.digest import short
from workbench.session.session import Session
from workbench.session.wording import cannot_write
from workbench.tui.misses.notices import difference_lines
from workbench.tui.subject_view import SubjectView

WAYS_ON = "overwrites it, d shows the difference, Y takes it, esc keeps your draft."


def changed(session: Session, digest: str, *, is_asked: bool) -> str:
    """What to say of the file of a draft: that it is not as it was when the draft began.

    Args:
        is_asked: whether a save was asked for. One that nobody asked for yet takes two keys: the
            first may be on its way already, before this can be read.
    """
    stamp, draft = session.store.stamp(digest), session.draft(digest)
    key = "^s again" if is_asked else "^s twice"
    if stamp is None:
        return f"The file is gone. {key} writes it, esc keeps your draft."
    if draft.base is None:
        return f"{short(digest)} has a fixture now, of another program. {key} {WAYS_ON}"
    return f"The file changed on disk. {key} {WAYS_ON}"


def show_difference(view: SubjectView) -> str:
    """Show how the draft and the file differ; returns what to say where there is no file."""
    if view.subject is None:
        return ""
    view.write_back()
    data = view.session.store.read(view.subject)
    if data is None:
        return "There is no file of it; the draft is all there is."
    mine = view.session.draft(view.subject).text
    view.request.show((), difference_lines(data.decode("utf-8", "replace"), mine))
    return ""


def take_theirs(view: SubjectView, digest: str) -> str:
    """Let go of the draft of a digest; returns what to say."""
    try:
        view.session.take_file(digest)
    except OSError as error:
        return f"The draft cannot be let go: {cannot_write(view.session.drafts.folder, error)}."
    return "The draft is the file again."
