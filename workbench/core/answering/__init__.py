"""From a request to what is to be done with it, for servers and mocks alike: no sockets, no files.

``routes`` reads what a request asks for, ``bodies`` its JSON, ``plain`` answers what needs no
fixture, ``lookup`` finds a fixture, ``recorded`` answers from a recording, and ``errors`` has the
replies to requests that cannot be answered.
"""
