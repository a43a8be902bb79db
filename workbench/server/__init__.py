"""The stub server: a Starlette application on uvicorn, which answers with ``core.replies``."""
