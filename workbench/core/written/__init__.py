"""Requests and replies as they may be written and shown: without the credentials of clients."""
