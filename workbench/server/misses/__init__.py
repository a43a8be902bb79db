"""Replies to requests without a fixture: from an equivalent one, recorded, held, or an error."""
