"""Ports, and HTTP clients of servers and of upstream APIs."""
