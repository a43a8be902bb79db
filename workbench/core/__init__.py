"""What a stub server answers and why: no files, sockets, clock or user interface."""
