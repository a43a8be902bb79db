"""Changes of a draft by other means than typing: calls, fixes, ``$EDITOR``.

Each takes the view that shows the draft, changes it by one edit, and says what it did. Bindings and
links name them: ``screen.tab('draft', 'fix')``.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.digest import short
from workbench.core.fixture import skeleton
from workbench.core.json import edits as jsonedit
from workbench.core.requests.view import Tool
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.external_editor import EditorFailedError
from workbench.tui.answer.external_editor import edit as edit_in_editor
from workbench.tui.dialogs.questions import ToolPicker
from workbench.tui.subject_view import SubjectView
from workbench.tui.widgets.status import UNTIL_EDITED, status_of

AS_JSON = "The whole document. F12 shows the fields."
UNREADABLE = "The fields come back when the document can be read. ^n goes to the problem."


async def add_call(view: SubjectView) -> None:
    """Add a call of an offered tool; if there are several, ask which."""
    offered = view.tools()
    if len(offered) > 1:
        view.start(_add_picked_call(view, offered))
    else:
        await _add_call_of(view, offered[0] if offered else Tool("", "", None, False))
        view.answer.fields.await_enter()


async def _add_picked_call(view: SubjectView, offered: Sequence[Tool]) -> None:
    tool = await view.app.push_screen_wait(ToolPicker(offered))
    if tool is not None:
        await _add_call_of(view, tool)


async def _add_call_of(view: SubjectView, tool: Tool) -> None:
    digest = view.subject
    if digest is None:
        return
    number = len(view.answer.fields.cards)
    content = skeleton.content(view.output_format())

    def edit(draft: Draft) -> None:
        document = draft.answer
        if content and editing.content(document) == content:  # a skeleton that nobody filled in
            document = editing.with_content(document, "")
        call = skeleton.tool_call(digest, number, tool)
        draft.set_answer(editing.with_call(document, call))

    if await view.change(edit):
        view.panes.show("answer")
        view.answer.fields.focus_call(number)


async def remove_call(view: SubjectView) -> None:
    """Remove the call that has the cursor."""
    number = view.answer.fields.focused_call
    if number is None:
        view.say("The cursor is in no tool call.")
        return

    def edit(draft: Draft) -> None:
        draft.set_answer(editing.without_call(draft.answer, number))
        draft.forget_decided()

    if await view.change(edit):
        view.answer.enter()
        status_of(view).say("The call is removed. ^z brings it back.", topic=UNTIL_EDITED)


async def undo(view: SubjectView) -> None:
    """Take back what was changed last, by these actions or by typing."""
    view.say("Undone. ^y brings it back." if await view.go(-1) else "Nothing to undo.")


async def redo(view: SubjectView) -> None:
    """Make again what was undone last."""
    view.say("Redone." if await view.go(1) else "Nothing to redo.")


async def fix(view: SubjectView) -> None:
    """Apply the fix of the problem that is chosen, or of the next that has one, computed again for
    the current text.
    """
    finding = view.answer.problems.fixable
    if view.subject is None or finding is None:
        none = (
            "No problem here has a certain fix." if view.answer.problems.chosen else "No problems."
        )
        status_of(view).say(none, topic=UNTIL_EDITED)
        return
    view.write_back()
    wanted = (finding.rule, finding.path, finding.inner)
    now = view.session.drafting.assess(view.subject).findings
    found = next((f.fix for f in now if (f.rule, f.path, f.inner) == wanted and f.fix), None)
    if found is None:
        status_of(view).say("That problem is not there any more.", topic=UNTIL_EDITED)
    elif await view.change(lambda draft: draft.set_text(jsonedit.apply(draft.text, found.edits))):
        view.say(f"Fixed: {found.title}.")


async def allow(view: SubjectView, rule: str) -> None:
    """Allow ``rule`` in this fixture, or no longer if it is allowed. "" is the last allowed one."""
    said = "No problems: there is nothing to allow."

    def edit(draft: Draft) -> None:
        nonlocal said
        allowed = sorted(draft.document.allowed)
        if name := rule or (allowed[-1] if allowed else ""):
            now = name not in allowed
            draft.set_text(editing.with_allowed(draft.document, name, now).text)
            said = f"{name} is {'' if now else 'no longer '}allowed in this fixture."
            said += " ^l takes it back." if now else ""

    if await view.change(edit):
        view.say(said)


async def edit_outside(view: SubjectView) -> None:
    """Edit the focused editor's text in ``$EDITOR``, else the whole document."""
    if view.subject is None:
        return
    view.write_back()
    field = view.app.focused if isinstance(view.app.focused, Editor) else None
    before = field.whole_text if field else view.session.drafting.open(view.subject).text
    is_json = field is None or before[:1] in ("{", "[")
    name = f"{short(view.subject)}.{'json' if is_json else 'txt'}"
    instead = "Using the built-in editor."
    if field is None:
        key = "F12" if view.answer.has_focus_within else "w"
        instead = f"{key} edits the document here."
    elif field.obstacle:
        instead = f"{field.obstacle}: too much for the built-in editor."
    try:
        after = edit_in_editor(view.app, view.session.state_folder, name, before, instead=instead)
    except EditorFailedError as error:
        view.say(str(error), "warning")
        return
    if not before.endswith("\n"):
        after = after.removesuffix("\n")  # editors end the last line
    if field is not None:
        field.replace_text(after)
    elif await view.change(lambda draft: draft.set_text(after)):
        view.say("The draft has the editor's text." if after != before else "Nothing changed.")


async def toggle_delivery(view: SubjectView) -> None:
    """Go into the fields of the delivery, or fold them."""
    if view.answer.as_json:
        view.say("The document shows it. F12 shows the fields.")
    else:
        await view.answer.fields.toggle_delivery()


async def toggle_lines(view: SubjectView) -> None:
    """Keep the lines of JSON as typed, or save it on one line."""

    def edit(draft: Draft) -> None:
        draft.keep_lines = not draft.keep_lines
        draft.set_answer(editing.relaid(draft.answer, keep_lines=draft.keep_lines))

    await view.change(edit)


async def toggle_json(view: SubjectView) -> None:
    """Switch between the fields and the whole document as JSON."""
    view.write_back()
    was_json = view.answer.as_json
    view.answer.toggle_json()
    if await view.change(lambda _: None):
        view.panes.show("answer")
        view.answer.enter()
        if not view.answer.as_json:
            view.say("The fields. F12 shows the document.")
        elif was_json:
            view.say(UNREADABLE, "warning")
        else:
            view.say(AS_JSON)
