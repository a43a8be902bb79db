"""The demo without a terminal: traffic, its misses, one written answer, and the server's reply with
it. The steps are the same as in the terminal application.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.log.reader import LogParser
from workbench.core.replies.profile_names import SERVE_PROFILE, ProfileName
from workbench.core.requests.view import Payload
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt
from workbench.demo.client import ModelClient, ModelError
from workbench.demo.sample_files import install_fixtures
from workbench.demo.traffic import play
from workbench.io.fixture.store import FixtureStore
from workbench.io.network.ports import listen
from workbench.io.processes.server_process import ChildServer
from workbench.io.state_folder import StateFolder
from workbench.session.answers.promotion import Promotion, text_response
from workbench.session.misses.states import open_misses, open_unsupported, state_of
from workbench.session.preview.preview import preview
from workbench.session.session import Session

if TYPE_CHECKING:
    import httpx

Show = Callable[[str], None]

WIDTH = 96
TEXT_WIDTH = 44
FRAMES_SHOWN = 3
ANSWER = "It is 12 °C in London with light rain: take an umbrella."
DESCRIPTION = "weather in London, turn 2: says what the tool found"


def run_once(folder: Path, show: Show, profile: ProfileName = SERVE_PROFILE) -> int:
    """Run the demo in ``folder``, which is empty; returns the exit code. Its server ends with this
    call.

    Args:
        show: prints a line.
        profile: how the server writes its replies.
    """
    store = FixtureStore(folder / "fixtures")
    session = Session(store, StateFolder(folder / ".workbench"), profile=profile)
    try:
        installed = install_fixtures(session.store.folder)
        session.state_folder.ensure()
        listener, _ = listen("127.0.0.1", None)
        log = session.state_folder.path / "server.log"
        fixtures = session.store.folder
        arguments = ["--profile", profile]
        with ChildServer(
            listener, fixtures=fixtures, log=log, folder=folder, arguments=arguments
        ) as server:
            show(f"Server      {server.url}, fixtures {fixtures} ({installed})")
            return _main_job(server, session, show)
    except (OSError, ModelError) as error:
        show("")
        show(f"The demo stops here: {error}")
        return 1
    finally:
        session.spool.close()


def _main_job(server: ChildServer, session: Session, show: Show) -> int:
    report = play(server.url)
    show(f"Traffic     {report.text}, as real HTTP")
    log = server.log.read_bytes()
    session.take_log(session.intake.read(LogParser().feed(log)))
    if report.problems or not open_misses(session):
        # The folder is deleted after this, and the log with it.
        logged = log.decode("utf-8", "replace").splitlines() or ["nothing"]
        show("")
        show(f"The demo stops here. The last line of the server: {logged[-1]}")
        return 1
    _list_misses(session, show)
    digest = open_misses(session)[0].digest
    _promote(digest, session, show)
    payload = session.miss_index.payload(digest) or {}
    _ask_again(server.url, digest, payload, session, show)
    show("")
    left = len(open_misses(session))
    show(f"Left        {left} misses; to answer them, run workbench --demo in a terminal")
    return 0


def _list_misses(session: Session, show: Show) -> None:
    session.stale.catch_up()
    misses = open_misses(session)
    show("")
    show(f"Misses      {len(misses)} requests without a usable fixture")
    show(f"   {'digest':<13} {'state':<10} {'n':>2}  {'model':<17} {'turn':>4}  last user text")
    for miss in misses:
        state = state_of(session, miss.digest).word
        row = f"   {short(miss.digest):<13} {state:<10} {miss.count:>2}"
        if miss.model is not None:
            text = excerpt(miss.last_user_text or "", TEXT_WIDTH)
            row += f"  {miss.model:<17} {miss.turn:>4}  {text}"
        show(row)
    for unsupported in open_unsupported(session):
        name = f"{unsupported.name}  not supported"
        show(f"   {'':<13} {'unsupported':<11}{unsupported.count:>2}  {name}")


def _promote(digest: str, session: Session, show: Show) -> None:
    """Write the answer of one miss and save it."""
    promotion = Promotion(session, digest)
    response = text_response(ANSWER)
    assessment = promotion.write(response, description=DESCRIPTION)
    problems = ", ".join(finding.message for finding in assessment.findings) or "no problems"
    promotion.save()
    show("")
    show(f"Promote     {short(digest)}: {problems}")
    show(f"   {json.dumps(response, ensure_ascii=False)}")
    show(f"   saved as {promotion.path}")


def _ask_again(url: str, digest: str, payload: Payload, session: Session, show: Show) -> None:
    """Send the request of the miss again, plain and as a stream, and print the responses."""
    client = ModelClient(url)
    plain = client.send({**payload, "stream": False})
    stream = client.send({**payload, "stream": True})
    show("")
    show(f"The wire    the request is sent once more: {_head(plain)}")
    _show_wrapped(plain.text.rstrip("\n"), show)
    frames = stream.text.removesuffix("\n\n").split("\n\n")
    show(f"   as a stream: {_head(stream)}, {len(frames)} frames")
    for frame in frames[:FRAMES_SHOWN]:
        _show_wrapped(frame, show)
    show(f"   … {len(frames) - FRAMES_SHOWN} more; the last is {frames[-1]}")
    created = plain.json()["created"]
    document = session.drafting.open(digest).document
    sent = preview(document, digest, payload, created=created, profile=session.server.profile)
    same = "equals" if plain.content == sent.envelope else "DIFFERS FROM"
    show(f"   the envelope {same} the preview, byte by byte")


def _show_wrapped(text: str, show: Show) -> None:
    """Print ``text`` in lines of the same length."""
    for start in range(0, len(text), WIDTH):
        show(f"   {text[start : start + WIDTH]}")


def _head(response: httpx.Response) -> str:
    return f"{response.status_code} {response.headers.get('Content-Type', '')}"
