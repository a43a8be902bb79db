"""Decide how servers and mocks answer a request: no sockets, no files.

``routes`` finds the route of a request, ``bodies`` reads its JSON, ``plain`` answers requests that
need no fixture, ``lookup`` finds a fixture, ``recorded`` answers from a recording, and ``errors``
has the replies to requests that cannot be answered.
"""
