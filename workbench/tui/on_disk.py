"""Files that other programs change while somebody writes: what is said, and whose text is taken."""

from __future__ import annotations

from workbench.core.digest import short
from workbench.session.session import Session
from workbench.session.wording import cannot_write
from workbench.tui.notices import difference_lines
from workbench.tui.subject_view import SubjectView

WAYS_ON = "^s again overwrites it, d shows the difference, Y takes it, esc keeps your draft."


def changed(session: Session, digest: str) -> str:
    """What to say of the file of a draft: that it is not as it was when the draft began."""
    stamp, draft = session.store.stamp(digest), session.draft(digest)
    if stamp is None:
        return "The file is gone. ^s again writes it, esc keeps your draft."
    if draft.base is None:
        return f"{short(digest)} has a fixture now, of another program. {WAYS_ON}"
    return f"The file changed on disk. {WAYS_ON}"


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
