"""What all tests share: which examples hypothesis tries, what is compiled once, which settings."""

from __future__ import annotations

import gc
import os
import signal
import sys

from hypothesis import HealthCheck, settings

# Everyday runs look at the same few examples, so that what fails fails again; no machine is too
# slow. HYPOTHESIS_PROFILE=thorough looks at more than the default, and at others each time.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", unhurried, max_examples=15, derandomize=True)
settings.register_profile("thorough", unhurried, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# What the caller set for the product is not meant for its tests. On CI, or with colours, pytest and
# workbench print differently; what a test starts prints the same everywhere.
_PRINTING = ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "FORCE_COLOR", "NO_COLOR", "PYTEST_ADDOPTS")
for _name in list(os.environ):
    if _name.startswith(("WORKBENCH_", "MOCK_LLM_")) or _name in _PRINTING:
        del os.environ[_name]

# Tests need no certificate of the system, but each client of an API reads all of them, which takes
# longer than many requests: a folder without any is read at once.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = os.path.dirname(__file__)

# Nobody watches the screens of tests: drawing them 60 times a second is a third of what they cost.
os.environ.setdefault("TEXTUAL_FPS", "15")

# Workers, and the hundreds of programs that tests start, share what the first of them compiled.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# A shell starts what runs in its background deaf to Ctrl+C, and all that the tests start with it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# What is imported and collected stays, so the search for garbage need not come as often as in a
# small program, and later need not read all of it.
gc.set_threshold(200_000)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
