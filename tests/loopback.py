"""Servers on loopback: HTTP with a response that a test scripts, with or without TLS."""

from __future__ import annotations

import datetime
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Script = Callable[[socket.socket], None]
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def answering(text: str) -> Script:
    """Write this and close, with Connection: close: the client must not reuse the connection."""
    start, found, rest = text.partition("\r\n")
    said = f"{start}\r\nConnection: close\r\n{rest}" if found else text
    return lambda connection: connection.sendall(said.encode())


def silent(connection: socket.socket) -> None:
    """Send nothing until the client closes the connection."""
    while connection.recv(4096):
        pass


def _more(connection: socket.socket) -> bytes:
    got = connection.recv(4096)
    if not got:
        raise ConnectionError("the client closed the connection")
    return got


@dataclass
class Server:
    """Reads a request, then runs the script; records the requests.

    The whole request: closing a socket with unread data discards the response.
    """

    script: Script
    tls: ssl.SSLContext | None = None
    heads: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def url(self, host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}/hook"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.settimeout(60)  # the client is to give up first, however busy the machine
            with connection, suppress(OSError):
                self._converse(connection)

    def _converse(self, connection: socket.socket) -> None:
        if self.tls:
            with self.tls.wrap_socket(connection, server_side=True) as secured:
                self._answer(secured)
        else:
            self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += _more(connection)
        head, _, body = head.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        while length and len(body) < int(length[1]):
            body += _more(connection)
        self.heads.append(head)
        self.script(connection)

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(60)


@contextmanager
def dropping(address: str, port: int) -> Iterator[None]:
    """Packets to this address are lost, as by a firewall: its queue of connections is full."""
    with ExitStack() as open_sockets:
        listener = open_sockets.enter_context(socket.socket())
        listener.bind((address, port))
        listener.listen(0)
        for _ in range(2):
            waiting = open_sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex((address, port))
        yield


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """`serve(script, tls=…)` starts a server that is stopped after the test."""
    servers: list[Server] = []

    def start(script: Script, tls: ssl.SSLContext | None = None) -> Server:
        servers.append(Server(script, tls))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@dataclass(frozen=True)
class Authority:
    """A certificate authority of the test."""

    ca_file: str
    context: ssl.SSLContext


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """A CA that has signed one certificate: for receiver.example."""
    folder = tmp_path_factory.mktemp("ca")
    certify(folder, "receiver.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "leaf.pem")
    return Authority(str(folder / "ca.pem"), context)


def certify(folder: Path, name: str) -> None:
    """Write ca.pem, and leaf.pem with the certificate of a host and its key."""
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ca = _certificate("Test CA", ca_key, "Test CA", ca_key, ca=True)
    leaf = _certificate(name, key, "Test CA", ca_key, ca=False)
    (folder / "ca.pem").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    (folder / "leaf.pem").write_bytes(
        leaf.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def _certificate(name, key, issuer, issuer_key, *, ca: bool) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    if not ca:
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(issuer_key, hashes.SHA256())
