"""A sample application: four agents that reason about a user, each with tools of its own."""
