"""The errors whose text is for the user."""

from __future__ import annotations


class UserError(Exception):
    """The user asked for something that cannot be done; the text says why."""


class NotFoundError(UserError, LookupError):
    """Nothing begins with the name that was given, or more than one thing does."""
