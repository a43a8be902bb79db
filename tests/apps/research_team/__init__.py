"""A sample application: a research team on LangGraph, whose work critics reject or approve."""
