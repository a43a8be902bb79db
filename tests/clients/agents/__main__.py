"""``python -m tests.clients.agents CLIENT MODE``: asks with a client, and prints the answer as the
last line of the output.
"""

import sys

import tests.clients.agents  # noqa: F401 - each of its modules adds its clients
from tests.clients.client import ASKS

name, mode = sys.argv[1:]
print("\n" + ASKS[name](mode))
