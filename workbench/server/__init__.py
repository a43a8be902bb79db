"""The stub server: a Starlette application on uvicorn, answering with ``core.reply``."""
