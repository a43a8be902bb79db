"""Which hosts are on this machine."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.cases import each_case
from workbench.io.network.offline import add_refused, is_this_machine, read_refused

HERE = (
    *("", "localhost", "LocalHost.", "db.localhost", "127.0.0.1", "127.9.8.7", "::1"),
    *("::ffff:127.0.0.1", "0.0.0.0", "::", socket.gethostname()),
)
ELSEWHERE = (
    *("example.com", "localhost.example.com", "127.0.0.1.example.com", "127.example.com"),
    *("192.0.2.1", "2001:db8::1", "224.0.0.1", "ff02::fb", "10.0.0.300", "a b", "\0"),
)


@each_case("host", [*HERE, *ELSEWHERE])
def test_a_host_is_on_this_machine_or_not(host: str) -> None:
    assert is_this_machine(host) == (host in HERE)


def test_the_addresses_of_this_machine_are_its_own() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return  # there is no network, so there is no such address
        assert is_this_machine(probe.getsockname()[0])


def test_a_file_keeps_what_was_refused(tmp_path: Path) -> None:
    file = tmp_path / "refused"
    for place in ("a.example", "b.example:81", "a.example"):
        add_refused(str(file), place)
    assert read_refused(file) == {"a.example": 2, "b.example:81": 1}
    add_refused(str(tmp_path), "a.example")  # cannot be written, which ends no program
