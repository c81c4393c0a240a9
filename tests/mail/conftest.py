"""A mail server with TLS and a login, and a key for signatures."""

import base64
import socket
import ssl
from dataclasses import dataclass, field

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from einvoice.mail import Signer
from tests.loopback import authority

__all__ = ["authority"]


@dataclass
class Secured:
    url: str
    trust: ssl.SSLContext
    messages: list = field(default_factory=list)

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the library's name
        self.messages.append(envelope.content)
        return "250 2.0.0 queued"


@pytest.fixture
def secured(authority, monkeypatch):
    """STARTTLS is required, and the login user:right. Its certificate names receiver.example."""
    secured = Secured("", ssl.create_default_context(cafile=authority.ca_file))
    real = socket.create_connection
    monkeypatch.setattr(
        socket, "create_connection", lambda place, *rest: real(("127.0.0.1", place[1]), *rest)
    )

    def login(server, session, envelope, mechanism, data):
        return AuthResult(success=data.password == b"right", handled=False)

    class Server(Controller):
        def factory(self):
            return SMTP(
                self.handler,
                tls_context=authority.context,
                require_starttls=True,
                auth_required=True,
                authenticator=login,
                hostname="localhost",
            )

        def _trigger_server(self):
            self.port = self.server.sockets[0].getsockname()[1]
            super()._trigger_server()

    controller = Server(secured, hostname="127.0.0.1", port=0)
    controller.start()
    secured.url = f"smtp://user:right@receiver.example:{controller.port}?tls=starttls"
    yield secured
    controller.stop()


@pytest.fixture(scope="session")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=1024)


@pytest.fixture
def signer(key):
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return Signer("example.com", "s1", pem)


@pytest.fixture
def public_key(key):
    return base64.b64encode(
        key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
