"""The rules by which a stub server answers: no files, sockets, clock or user interface."""
