"""A sample application: a chat agent with a weather tool, on the official client."""
