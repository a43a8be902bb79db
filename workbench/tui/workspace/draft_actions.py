"""Changes of a draft by other means than typing: calls, fixes, ``$EDITOR``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from workbench.core.fixture import skeleton
from workbench.core.fixture.names import digest_of
from workbench.core.json import edits as jsonedit
from workbench.core.replies.response import FIRST, RESPONSE
from workbench.core.requests.view import Tool
from workbench.core.text.digests import short
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.tui.answer.editor import Editor
from workbench.tui.dialogs.picker import Choice, Picker
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.status import UNTIL_EDITED, status_of
from workbench.tui.workspace.draft_view import DraftView
from workbench.tui.workspace.external_editor import EditorFailedError
from workbench.tui.workspace.external_editor import edit as edit_in_editor

# The initial answer to the first request, an error that makes a client retry.
_FIRST_RESPONSE: Final = {"error": {"status": 429, "retry_after": 0}}
LINES_KEPT = "[x] keep line breaks: JSON is saved as you type it."
LINES_JOINED = "[ ] keep line breaks: JSON is saved on one line."
NONE_OFFERED = "This request offers no tools. Type a name, or ^g removes the call."
AS_JSON = "The whole document. F12 shows the fields."
UNREADABLE = "The fields come back when the document can be read. ^n goes to the problem."


class DraftActions:
    """Changes of the shown draft by other means than typing. Each makes one edit and reports it."""

    def __init__(self, view: DraftView) -> None:
        self._view = view

    async def add_call(self) -> None:
        """Add a call of an offered tool; if there are several, ask which, and if none, its name."""
        offered = self._view.tools()
        if len(offered) > 1:
            self._view.start(self._add_picked_call(offered))
        else:
            await self._add_call_of(offered[0] if offered else Tool("", "", None, False))
            self._view.answer.fields.await_enter()
            if not offered and self._view.payload is not None:
                status_of(self._view).say(NONE_OFFERED, topic=UNTIL_EDITED)

    async def _add_picked_call(self, offered: Sequence[Tool]) -> None:
        tool = await self._view.app.push_screen_wait(tool_picker(offered))
        if tool is not None:
            await self._add_call_of(tool)

    async def _add_call_of(self, tool: Tool) -> None:
        shown = self._view.draft
        if shown is None:
            return
        digest = digest_of(shown.name)
        number = len(self._view.answer.fields.cards)
        content = skeleton.content(self._view.output_format())

        def edit(draft: Draft) -> None:
            document, at = draft.document, draft.shown_response
            # A skeleton that nobody filled in.
            if content and editing.content(document, at) == content:
                document = editing.with_content(document, "", at)
            call = skeleton.tool_call(digest, number, tool)
            draft.set_document(editing.with_call(document, call, at))

        if await self._view.change(edit):
            self._view.panes.show("answer")
            self._view.answer.fields.focus_call(number)

    async def remove_call(self) -> None:
        """Remove the call that has the cursor."""
        number = self._view.answer.fields.focused_call
        if number is None:
            self._view.say("The cursor is in no tool call.")
            return

        def edit(draft: Draft) -> None:
            document, at = draft.document, draft.shown_response
            draft.set_document(editing.without_call(document, number, at))

        if await self._view.change(edit):
            self._view.answer.enter()
            status_of(self._view).say("The call is removed. ^z brings it back.", topic=UNTIL_EDITED)

    async def undo(self) -> None:
        """Take back what was changed last, by these actions or by typing."""
        is_undone = await self._view.go(-1)
        self._view.say("Undone. ^y brings it back." if is_undone else "Nothing left to undo.")

    async def redo(self) -> None:
        """Make again what was undone last."""
        self._view.say("Redone." if await self._view.go(1) else "Nothing left to redo.")

    async def fix(self) -> None:
        """Apply the fix of the problem that is chosen, or of the next that has one, computed again
        for the current text.
        """
        problems = self._view.answer.problems
        finding = problems.fixable
        shown = self._view.draft
        if shown is None or finding is None:
            none = "No automatic fix here." if problems.chosen else "No problems."
            status_of(self._view).say(none, topic=UNTIL_EDITED)
            return
        self._view.write_back()
        now = self._view.check(shown)().findings
        fix = next((f.fix for f in now if f.identity == finding.identity and f.fix), None)
        if fix is None:
            status_of(self._view).say("That problem is not there any more.", topic=UNTIL_EDITED)
        elif await self._view.change(
            lambda draft: draft.set_text(jsonedit.apply(draft.text, fix.edits))
        ):
            self._view.say(f"Fixed: {fix.title}.")

    async def allow(self) -> None:
        """Allow the rule of the chosen problem in this fixture; without problems, disallow the rule
        that was allowed last.
        """
        chosen = self._view.answer.problems.chosen
        if chosen is not None and chosen.to_fill:
            self._view.say("A value to fill in cannot be allowed. Type over it.")
            return
        rule = chosen.rule if chosen is not None else ""
        message = "No problems, so there is nothing to allow."

        def edit(draft: Draft) -> None:
            nonlocal message
            allowed = sorted(draft.document.allowed)
            if name := rule or (allowed[-1] if allowed else ""):
                now = name not in allowed
                draft.set_text(editing.with_allowed(draft.document, name, now).text)
                takes_back = " ^l takes it back." if now else ""
                message = (
                    f"{name} is {'now' if now else 'not'} allowed in this fixture.{takes_back}"
                )

        if await self._view.change(edit):
            self._view.say(message)

    async def edit_outside(self) -> None:
        """Edit the focused editor's text in ``$EDITOR``, else the whole document."""
        draft = self._view.required_draft()
        if draft is None:
            return
        self._view.write_back()
        field = self._view.app.focused if isinstance(self._view.app.focused, Editor) else None
        before = field.whole_text if field else draft.text
        is_json = field is None or before[:1] in ("{", "[")
        name = f"{short(digest_of(draft.name))}.{'json' if is_json else 'txt'}"
        instead = "Using the built-in editor."
        if field is None:
            key = "F12" if self._view.answer.has_focus_within else "w"
            instead = f"{key} edits the document here."
        elif field.obstacle:
            instead = f"{field.obstacle}, which is too much for the built-in editor."
        try:
            after = edit_in_editor(
                self._view.app, self._view.session.state_folder, name, before, instead=instead
            )
        except EditorFailedError as error:
            self._view.say(str(error), "warning")
            return
        if not before.endswith("\n"):
            after = after.removesuffix("\n")  # editors end the last line
        if field is not None:
            field.replace_text(after)
        elif await self._view.change(lambda draft: draft.set_text(after)):
            self._view.say(
                "The draft has the editor's text." if after != before else "Nothing changed."
            )

    async def toggle_delivery(self) -> None:
        """Go into the fields of the delivery, or fold them."""
        if self._view.answer.as_json:
            self._view.say("The document contains it. F12 shows the fields.")
        else:
            await self._view.answer.fields.toggle_delivery()

    # The answers to the first requests

    async def add_response(self) -> None:
        """Add an error as the answer to the first request, or to the next one that has the answer
        of all later ones, and go there.
        """

        def edit(draft: Draft) -> None:
            draft.at = (*FIRST, len(draft.document.response_paths) - 1)
            draft.set_document(draft.document.with_first(_FIRST_RESPONSE))

        if await self._view.change(edit):
            self._view.panes.show("answer")
            await self._enter_response()
            self._view.say("An error for one request. F6 goes to the next answer.")

    @property
    def has_several(self) -> bool:
        """True if the shown draft has answers to the first requests. Called for each key, so it
        opens no draft, which would read the text of a changed file.
        """
        draft = self._view.answer.draft
        return draft is not None and len(draft.response_paths) > 1

    async def next_response(self) -> None:
        """Go to the answer to the next request."""
        draft = self._view.draft
        if draft is None or len(draft.response_paths) < 2:
            self._view.say("All requests get this answer.")
            return
        paths = draft.response_paths
        number = paths.index(draft.shown_response) + 1
        await self._view.answer.show_response(paths[number % len(paths)])
        await self._enter_response()

    async def remove_response(self) -> None:
        """Remove the answer to one request."""

        def edit(draft: Draft) -> None:
            draft.set_document(draft.document.without_first(draft.shown_response))

        draft = self._view.draft
        if draft is None or draft.shown_response == RESPONSE:
            self._view.say("This is the answer to every later request.")
        elif await self._view.change(edit):
            self._view.answer.enter()
            self._view.say("The answer is removed. ^z brings it back.")

    async def _enter_response(self) -> None:
        """Put the cursor where writing begins in the response that is shown."""
        answer = self._view.answer
        if not answer.as_json and answer.fields.details.delivery.has_error:
            await answer.fields.details.open("status")
        else:
            answer.enter()

    async def toggle_lines(self) -> None:
        """Keep the lines of JSON as typed, or save it on one line."""

        def edit(draft: Draft) -> None:
            draft.keep_lines = not draft.keep_lines
            draft.set_document(editing.relaid(draft.document, keep_lines=draft.keep_lines))

        if await self._view.change(edit) and (draft := self._view.draft) is not None:
            self._view.say(LINES_KEPT if draft.keep_lines else LINES_JOINED)

    async def toggle_json(self) -> None:
        """Switch between the fields and the whole document as JSON."""
        self._view.write_back()
        was_json = self._view.answer.as_json
        self._view.answer.toggle_json()
        if await self._view.change(lambda _: None):
            self._view.panes.show("answer")
            self._view.answer.enter()
            if not self._view.answer.as_json:
                self._view.say("The fields. F12 shows the document.")
            elif was_json:
                self._view.say(UNREADABLE, "warning")
            else:
                self._view.say(AS_JSON)


def tool_picker(tools: Sequence[Tool]) -> Picker[Tool]:
    """Asks for one of several tools."""

    def line(tool: Tool) -> Content:
        return one_line(tool.signature, "bold") + Content("  ") + one_line(tool.description)

    return Picker("Tool call", "tool", [Choice(tool.name, line(tool), tool) for tool in tools])
