"""Replies: what answers a request, how it is delivered, and the proof of a stream."""
