"""The tools: each opens a session of the logs and fixtures as they are, and calls one use case."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager, suppress
from typing import Annotated, Any, Final, Protocol

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from workbench.core.apis.table import view
from workbench.core.fixture.names import digest_of
from workbench.core.json.values import dumps
from workbench.core.replies.response import FIRST, requests_of
from workbench.core.requests.view import Payload
from workbench.core.text.wording import counted, sentence
from workbench.io.network.control_client import ControlError
from workbench.mcp.results import page, result
from workbench.session.answers.decisions import SecretFoundError
from workbench.session.answers.later_turns import later_turns
from workbench.session.answers.promotion import Promotion, calls_response, text_response
from workbench.session.export.requests import request_json
from workbench.session.fixture.listing import list_fixtures
from workbench.session.fixture.validation import Validation
from workbench.session.misses.listing import (
    find_answerable,
    find_miss,
    json_record,
    records,
)
from workbench.session.misses.nearest_result import explanation, nearest_of
from workbench.session.misses.other_server import other_digests, other_folder
from workbench.session.rekey.carry_out import carried_out
from workbench.session.rekey.pairing import plan_one
from workbench.session.rekey.plan import without_secrets
from workbench.session.rekey.same_change import find_change, plan_same
from workbench.session.rekey.stale import plan_all
from workbench.session.session import Session

# The length of a string in a list of requests; ``show_request`` returns all of it.
LISTED_CHARACTERS: Final = 300
# Folders that an error names.
FOLDERS: Final = 10


class OpenSession(Protocol):
    """Opens a session that has read the logs, or fetched the server's misses.

    Raises ToolError, also within the context, for errors that a caller can correct.
    """

    def __call__(self, *, with_misses: bool = True) -> AbstractContextManager[Session]:
        """Without misses it is enough that the fixtures are known."""


Digest = Annotated[
    str, Field(min_length=1, description="digest of a miss; its first four digits are enough")
]
Offset = Annotated[int, Field(ge=0, description="where the part of the text begins")]
Nth = Annotated[
    int,
    Field(
        ge=0,
        description="the reply to the N-th request, from 1; 0 for the reply to every later request",
    ),
]
First = Annotated[int, Field(ge=0, description="how many to skip at the beginning")]
Limit = Annotated[int, Field(ge=1, le=50)]
Content = Annotated[str, Field(description="the answer as text")]
Variant = Annotated[
    int, Field(ge=0, description="which of several requests with this digest, from 1; 0 for any")
]


class AnswerCall(BaseModel):
    """A call of a tool that the request offers."""

    name: str
    arguments: Annotated[
        dict[str, Any] | str, Field(description="its arguments, or the text of a custom tool")
    ]


Calls = Annotated[list[AnswerCall], Field(description="the answer as calls of tools")]
Response = Annotated[
    dict[str, Any] | None,
    Field(description='the answer as the "response" object of a fixture, for anything else'),
]


class Tools:
    """The tools of the server, which keep nothing from call to call."""

    def __init__(self, open_session: OpenSession) -> None:
        self._open = open_session

    def list_misses(
        self,
        last_run: bool = False,
        all_states: bool = False,
        offset: First = 0,
        limit: Limit = 25,
    ) -> str:
        """List the requests that had no fixture, and the unsupported ones, in the order first seen.

        Only open ones, unless all_states is true; with last_run, only those of the last suite run.
        """
        with self._open() as session:
            with suppress(ControlError):  # a log may outlive its server
                session.held.refresh()
            rows = records(session, last_run=last_run)
            warning = _warning(session)
        shown = [json_record(row) for row in rows if all_states or row.is_open]
        listed = shown[offset : offset + limit]
        listing = {"total": len(shown), **warning, "misses": listed}
        return result(listing, characters=LISTED_CHARACTERS)

    def show_request(self, digest: Digest, variant: Variant = 0, offset: Offset = 0) -> str:
        """Show the request of a miss, or of a fixture, as JSON: its model, offered tools and output
        format, and last the longest part, usually its messages. A long request has pages: continue
        with next_offset.
        """
        with self._open() as session:
            full_digest = find_answerable(session, digest)
            requests = session.miss_index.payloads(full_digest)
            if not requests and (
                stored := (session.store.current(full_digest) or {}).get("request")
            ):
                requests = [stored]
        if not max(variant, 1) <= len(requests):
            raise ToolError(
                f"The log has {counted(len(requests), 'request')} with the digest {full_digest}."
            )
        payload = requests[max(variant - 1, 0)]
        ordered = sorted(payload.items(), key=lambda item: len(dumps(item[1])))
        return page(
            {"digest": full_digest, "variants": len(requests)}, request_json(dict(ordered)), offset
        )

    def explain(self, digest: Digest) -> str:
        """Show the fixture nearest to a miss, and how their requests differ."""
        with self._open() as session:
            full_digest = find_miss(session, digest)
            session.nearest.refresh()
            session.equivalents.refresh()
            return result(explanation(session, full_digest, nearest_of(session, full_digest)))

    def promote(
        self,
        digest: Digest,
        content: Content = "",
        tool_calls: Calls = [],  # noqa: B006
        response: Response = None,
        variant: Variant = 0,
        description: str = "",
        replace: bool = False,
        first: bool = False,
        allow_secret: bool = False,
        write: bool = False,
    ) -> str:
        """Check an answer to a miss, and with write=true save it as the fixture.

        Give one of content, tool_calls and response. The fixture is written only with write=true
        and without errors. An answer that looks like it contains a key or a password needs
        allow_secret=true. To correct a wrong answer, also of an earlier run, use replace=true: it
        replaces the response of an existing fixture. To answer only the first request differently,
        such as with an error that the client retries, use first=true: it sends the answer once,
        before that response. Use first=true again for the second request, and so on.
        """
        with self._open() as session:
            full_digest = find_answerable(session, digest)
            promotion = Promotion(session, full_digest, variant or None)
            answer = _answer(full_digest, content, tool_calls, response, promotion.offering)
            if promotion.is_answered and not (replace or first):
                raise ToolError(
                    f"{promotion.path} exists; replace=true replaces its response, first=true adds "
                    "an answer before it."
                )
            if replace and first:
                raise ToolError("Give one of replace and first.")
            assessment = promotion.write(answer, description=description or None, is_first=first)
            is_written = write and not assessment.errors
            if is_written:
                try:
                    promotion.save(allow_secret=allow_secret)
                except SecretFoundError as error:
                    raise ToolError(f"Not written: {error} allow_secret=true saves it.") from None
            turns = later_turns(session)
            return result(
                {
                    "digest": full_digest,
                    "path": str(promotion.path),
                    "written": is_written,
                    **({"later_turns": turns} if turns else {}),
                    **({"note": promotion.not_stored} if promotion.not_stored else {}),
                    **_warning(session),
                    "problems": [finding.record() for finding in assessment.findings],
                }
            )

    def rekey(
        self,
        old: Annotated[str, Field(description='digest of a fixture; "" for every stale one')] = "",
        new: Annotated[str, Field(description='digest of a miss; "" with old ""')] = "",
        like: Annotated[
            str,
            Field(
                description="digest of a fixture that was moved or should be moved, or of a miss"
            ),
        ] = "",
        allow_secret: bool = False,
        write: bool = False,
    ) -> str:
        """Move a fixture to its changed request, or list what would be moved.

        Without old, new and like: every fixture whose request changed only in dates, ids and the
        like. With only like: every fixture whose request was changed by the same words as the one
        of like. Fixtures of later turns of the same conversations move with them. Fixtures are
        moved only with write=true. A request that looks like it contains a key or a password needs
        allow_secret=true.
        """
        with self._open() as session:
            session.stale.catch_up()
            if bool(old) != bool(new):
                raise ToolError("Give old and new, or neither.")
            if like and old:
                raise ToolError("Give like without old and new.")
            change = find_change(session, like) if like else None
            if change is not None:
                plan = plan_same(session, change)
            elif old:
                plan = plan_one(session, session.store.find(old), find_miss(session, new))
            else:
                plan = plan_all(session)
            if not allow_secret:
                plan = without_secrets(plan, "allow_secret=true stores it.")
            if write:
                plan = carried_out(session, plan)
            moved = plan.record(session.store)
            changed = {} if change is None else {"change": change.record}
            return result({"written": write, **_warning(session), **changed, **moved})

    def validate(
        self,
        digests: Annotated[list[str], Field(description="fixtures to check; [] for all")] = [],  # noqa: B006
        offset: First = 0,
        limit: Limit = 25,
    ) -> str:
        """Check fixture files: errors, warnings and infos, each with its place."""
        with self._open(with_misses=False) as session:
            store = session.store
            names = (name for digest in digests for name in store.find_all(digest))
            paths = list(map(store.path, names)) or [store.folder]
            validation = Validation(paths, session.state_folder, serving=session.server.serving)
            if misplaced := [*map(str, validation.in_subfolders())]:
                more = f" and {len(misplaced) - FOLDERS} more" if len(misplaced) > FOLDERS else ""
                named = ", ".join(misplaced[:FOLDERS]) + more
                raise ToolError(f"All fixtures are in subfolders, where no server looks: {named}.")
            checked = list(validation.run())
        rows = [file.row(finding) for file in checked for finding in file.findings]
        severities = Counter(row["severity"] for row in rows)
        shown = rows[offset : offset + limit]
        return result({"files": len(checked), "total": dict(severities), "findings": shown})

    def preview(
        self,
        digest: Annotated[str, Field(description="digest of a fixture, or its first four digits")],
        stream: bool = False,
        nth: Nth = 0,
        offset: Offset = 0,
    ) -> str:
        """Show the HTTP reply that the server sends for a fixture, as a whole or as a stream.

        The first requests of a test may get other replies than every later request: "first" is the
        number of these.
        """
        with self._open(with_misses=False) as session:
            name = session.store.find(digest)
            draft = session.drafting.open(name)
            draft.at = (*FIRST, nth - 1)
            preview = session.drafting.assess(name).preview
        sent = preview.streamed if stream else preview.whole
        about = {
            "digest": digest_of(name),
            "status": sent.status,
            "content_type": sent.content_type,
            "profile": preview.profile,
            "unusable": preview.unusable,
            "shown": requests_of(preview.at),
            "first": len(draft.response_paths) - 1,
        }
        return page(about, preview.as_text(sent.body), offset)

    def list_fixtures(
        self,
        words: Annotated[
            list[str], Field(description="words that must all occur; [] for all")
        ] = [],  # noqa: B006
        offset: First = 0,
        limit: Limit = 25,
    ) -> str:
        """Find fixtures by words in the question, answer, calls, description, test or instructions.

        The turns of a conversation are listed together, in order.
        """
        with self._open(with_misses=False) as session:
            fixtures = list_fixtures(session.store, words)
            shown = fixtures[offset : offset + limit]
            records = [fixture.record(session.store) for fixture in shown]
        return result({"total": len(fixtures), "fixtures": records})

    def list_held(self) -> str:
        """List the held requests: their clients are waiting for an answer, since the server runs
        with --hold.

        "miss" is what a held request gets when its time is over: fallback or error.
        """
        with self._open() as session:
            session.held.refresh()
            held = filter(None, map(session.held.get, session.held.digests))
            requests = [request for miss in held for request in miss.requests]
            miss = "error" if session.server.serving.misses_fail else "fallback"
            return result({"held": [request._asdict() for request in requests], "miss": miss})

    def answer_held(
        self,
        digest: Digest,
        content: Content = "",
        tool_calls: Calls = [],  # noqa: B006
        response: Response = None,
        variant: Variant = 0,
    ) -> str:
        """Send an answer to the clients that wait for it, without saving it as a fixture.

        The answer is checked first, and sent only without errors. To save an answer and send it,
        use promote with write=true.
        """
        with self._open() as session:
            session.held.refresh()
            full_digest = find_miss(session, digest)
            promotion = Promotion(session, full_digest, variant or None)
            answer = _answer(full_digest, content, tool_calls, response, promotion.offering)
            assessment = promotion.write(answer)
            if not assessment.errors:
                request_variant = (
                    view(promotion.payload).variant if variant and promotion.payload else ""
                )
                session.held.answer_once(full_digest, answer, request_variant)
            return result(
                {
                    "digest": full_digest,
                    "sent": not assessment.errors,
                    "problems": [finding.record() for finding in assessment.findings],
                }
            )


def _warning(session: Session) -> dict[str, str]:
    """A warning if the log's server would not find the files that are written."""
    mistake = other_digests(session.miss_index)
    warnings = [sentence(mistake)] if mistake else []
    if folder := other_folder(session):
        warnings.append(f"The server of the log reads {folder}, not {session.store.folder}.")
    warning = " ".join(warnings)
    return {"warning": warning} if warning else {}


def _answer(
    digest: str,
    content: str,
    tool_calls: list[AnswerCall],
    response: dict[str, Any] | None,
    request: Payload,
) -> dict[str, Any]:
    """The ``response`` of a fixture. Raises ToolError."""
    if sum([bool(content), bool(tool_calls), response is not None]) != 1:
        raise ToolError("Give one of content, tool_calls and response.")
    if response is not None:
        return response
    if tool_calls:
        calls = [
            (
                call.name,
                call.arguments if isinstance(call.arguments, str) else dumps(call.arguments),
            )
            for call in tool_calls
        ]
        return calls_response(digest, calls, request)
    return text_response(content)
