"""Which misses have a fixture by now, and whether it is any use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.fixtures.document import FixtureDocument, FixtureError, decode
from workbench.core.json import spans
from workbench.core.replies import answer
from workbench.io.store import FileStamp, FixtureStore

if TYPE_CHECKING:
    from workbench.session.verification import Verification


class FixtureFiles:
    """The files of digests as they were when they were last looked at.

    Attributes:
        verified: those that the server answered with exactly, as they were then.
    """

    def __init__(self, store: FixtureStore) -> None:
        self.verified: dict[str, FileStamp] = {}
        self._store = store
        self._faults: dict[str, FixtureError | None] = {}

    def __contains__(self, digest: str) -> bool:
        """Whether there is a file."""
        return digest in self._faults

    def broken(self, digest: str) -> FixtureError | None:
        """Why the file of ``digest`` cannot be used, if it is there and cannot."""
        return self._faults.get(digest)

    def look_at(self, digest: str) -> None:
        """Take in how the file is now."""
        if digest in self.verified and self.verified[digest] != self._store.stamp(digest):
            del self.verified[digest]
        try:
            is_gone = self._store.load(digest) is None
        except FixtureError:
            is_gone = False
        if is_gone:
            self._faults.pop(digest, None)
        else:
            self._faults[digest] = self.unusable(digest)

    def unusable(self, digest: str) -> FixtureError | None:
        """Why no reply can be made of the file as it is now, if it is there and none can."""
        try:
            fixture = self._store.load(digest)
            if fixture is not None:
                answer.fixture_reply(fixture, {})
        except FixtureError as error:
            return self._placed(digest, error)
        return None

    def _placed(self, digest: str, error: FixtureError) -> FixtureError:
        """``error`` with its place in the file, where it has none yet and there is one."""
        if error.text or not error.path:
            return error
        try:
            text = decode(self._store.read(digest) or b"")
            node = FixtureDocument(text).scan.root.at(error.path)
        except (OSError, FixtureError):
            return error
        line, column = spans.line_column(text, node.start if node else 0)
        return FixtureError(error.rule, str(error), line=line, column=column, text=text)

    def take_verification(self, found: Verification) -> None:
        """Remember that the server sends what the file says, if it did and the file is the same
        still.
        """
        digest, stamp = found.claim.digest, found.claim.stamp
        self.verified.pop(digest, None)
        if found.holds and stamp is not None and stamp == self._store.stamp(digest):
            self.verified[digest] = stamp
