"""The proxy of ``workbench run --intercept`` alone, for the server whose URL is the first argument.

Prints its port, and writes the certificate of its authority to the file that is the second one.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from workbench.core.apis.hosts import Hosts
from workbench.io.network.certificates import Certificates
from workbench.io.network.proxy import Proxy

if __name__ == "__main__":
    certificates = Certificates(Hosts().has)
    Path(sys.argv[2]).write_text(certificates.authority)
    with Proxy(server_url=sys.argv[1], certificates=certificates) as proxy:
        print(proxy.port, flush=True)
        signal.pause()
