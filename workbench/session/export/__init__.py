"""Requests and conversations, written for other programs and people."""
