"""The stub server: raw ASGI on uvicorn, answering with ``core.reply``."""
