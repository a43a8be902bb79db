"""Which certificates programs trust already."""

from __future__ import annotations

import ssl
from pathlib import Path

import certifi
import pytest
import trustme

from workbench.io.network.certificates import trusted_roots


def test_the_roots_are_those_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pem = trustme.CA().cert_pem
    pem.write_to_path(tmp_path / "roots.pem")
    pem.write_to_path(tmp_path / "12345678.0")
    expected = pem.bytes().decode()
    # A file is read before a folder; as on Fedora, and as on Debian.
    for file, folder in (("roots.pem", "nothing"), ("nothing", ".")):
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / file))
        monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / folder))
        assert trusted_roots() == expected
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "nothing"))
    assert trusted_roots() == Path(certifi.where()).read_text("utf-8")
    ssl.create_default_context(cadata=trusted_roots())
