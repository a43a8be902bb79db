"""Mocks of the model: scripted replies, fixtures, and the calls they got."""
