"""The errors whose text is for the user."""

from __future__ import annotations

from workbench.core.text.wording import sentence


class UserError(Exception):
    """A request by the user that cannot be carried out; the message has the reason. Several
    arguments are lines of a message for a terminal.
    """

    @property
    def sentence(self) -> str:
        """The text with a capital and a full stop."""
        return sentence(str(self))


class NotFoundError(UserError, LookupError):
    """Nothing begins with the name that was given, or more than one thing does."""


class SettingsError(UserError):
    """A setting that cannot be used; the text has its place, its key and what was expected."""
