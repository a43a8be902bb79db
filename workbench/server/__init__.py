"""The stub server: the answering function of the core on real sockets."""
