"""PostgreSQL with TLS: its certificate is compared with authorities, also those of the machine."""

from __future__ import annotations

import itertools
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from einvoice import config
from tests.ports import free_port
from tests.servers import postgresql

# `sslrootcert`, environment, whether the connection is made. {0}: the authority of the server.
CASES = [
    ("{0}", {}, True),
    ("{1}", {}, False),
    ("system", {"SSL_CERT_FILE": "{0}"}, True),
    ("system", {"SSL_CERT_FILE": "{1}"}, False),
    ("system", {"SSL_CERT_DIR": "{2}"}, True),
    ("system", {}, False),
]


# As the service begins (einvoice.app), in a process of its own: OpenSSL reads the environment once.
_CONNECT = """
import sys, psycopg
from einvoice import config
config.name_authorities()
psycopg.connect(sys.argv[1]).close()
"""


def make_certificate(directory: Path, name: str) -> Path:
    """A certificate of localhost that is its own authority, with its key beside it."""
    path = directory / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost",
         "-addext", "basicConstraints=critical,CA:TRUE",
         "-keyout", str(path.with_suffix(".key")), "-out", str(path)],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Of the server, of another one, and a directory that has the first by its hash."""
    directory = tmp_path_factory.mktemp("authorities")
    directory.chmod(0o755)
    right, wrong = (make_certificate(directory, name) for name in ("right", "wrong"))
    hashed = directory / "hashed"
    hashed.mkdir()
    shutil.copy(right, hashed)
    subprocess.run(["openssl", "rehash", str(hashed)], check=True)
    return [str(right), str(wrong), str(hashed)]


@pytest.fixture(scope="module")
def url(authorities: list[str]) -> Iterator[str]:
    """Of a server on loopback that accepts TLS, without `sslrootcert`."""
    certificate, port = Path(authorities[0]), free_port()
    key = certificate.with_suffix(".key")
    if os.geteuid() == 0:
        shutil.chown(key, "postgres")
    settings = {
        "port": port, "listen_addresses": "localhost", "ssl": "on",
        "ssl_cert_file": certificate, "ssl_key_file": key,
    }  # fmt: skip
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    temporary = Path(tempfile.gettempdir())
    for parent in itertools.takewhile(lambda each: each != temporary, certificate.parents):
        parent.chmod(0o755)  # for the user of the server
    with postgresql(options):
        yield f"postgresql://einvoice@localhost:{port}/postgres?sslmode=verify-full&sslrootcert="


def test_the_certificate_of_the_database_is_compared_with_the_given_authorities(
    url: str, authorities: list[str]
) -> None:
    """`system` means those that SSL_CERT_FILE and SSL_CERT_DIR name, else those of the machine."""
    plain = {name: text for name, text in os.environ.items() if not name.startswith("SSL_CERT")}
    wrong = []
    for root, variables, accepted in CASES:
        environ = {name: text.format(*authorities) for name, text in variables.items()}
        done = subprocess.run(
            [sys.executable, "-c", _CONNECT, url + root.format(*authorities)],
            env={**plain, **environ}, capture_output=True, text=True,
        )  # fmt: skip
        if (done.returncode == 0) != accepted:
            wrong.append((root, variables, done.stderr[-300:]))

    assert wrong == []


@pytest.mark.parametrize("given", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_the_authorities_of_the_machine_are_named_unless_others_are(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """As Python finds them; the driver's own OpenSSL would look where it was built."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    config.name_authorities()
    found = (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    known = ssl.get_default_verify_paths()
    monkeypatch.setenv(given, "/elsewhere")
    config.name_authorities()

    assert found == (known.cafile, known.capath)
    assert [name for name in os.environ if name.startswith("SSL_CERT_")] == [given]
