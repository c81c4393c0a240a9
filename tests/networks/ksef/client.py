"""A caller of the stand-in, for its own tests: one method for each step, answers as they come."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from typing import Any

import requests
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.networks.ksef import Service, samples
from tests.networks.ksef.keys import OAEP, SYMMETRIC, TOKENS, digest
from tests.networks.ksef.sessions import decrypted, encrypted

FA3 = {"systemCode": "FA (3)", "schemaVersion": "1-0E", "value": "FA"}


class Client:
    """Calls one service for one context."""

    def __init__(self, service: Service, context: tuple[str, str] = ("Nip", samples.SELLER)):
        self.service, self.context = service, context
        self.http = requests.Session()
        self.access = self.refresh = self.authentication = ""
        self.key, self.vector = secrets.token_bytes(32), secrets.token_bytes(16)

    def call(
        self,
        method: str,
        path: str,
        json: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        **given: Any,
    ) -> requests.Response:
        """The response to a request; `token`: in place of the access token."""
        bearer = self.access if token is None else token
        sent = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        url = path if path.startswith("http") else self.service.url + path
        return self.http.request(
            method, url, json=json, headers=sent | dict(headers or {}), **given
        )

    # -- login -------------------------------------------------------------------------------------

    def challenge(self) -> dict[str, Any]:
        return self.call("POST", "/auth/challenge", token="").json()

    def send_signed(self, document: bytes, **given: Any) -> requests.Response:
        return self.call("POST", "/auth/xades-signature", data=document, token="",
                         headers={"content-type": "application/xml"}, **given)  # fmt: skip

    def sign_in(self, seal: tuple[samples.PrivateKey, x509.Certificate] | None = None) -> Client:
        """Log in by a signature."""
        text = self.challenge()["challenge"]
        return self.finish(self.send_signed(samples.signed_login(text, self.context, seal)))

    def send_token(self, token: str, **changes: Any) -> requests.Response:
        """Send a KSeF token; `changes` replace members."""
        given = self.challenge()
        content = changes.pop("content", f"{token}|{given['timestampMs']}")
        key = self.public_key(TOKENS)
        values = {
            "challenge": given["challenge"],
            "contextIdentifier": dict(zip(("type", "value"), self.context, strict=True)),
            "encryptedToken": wrapped(key, content.encode()),
            "publicKeyId": key["publicKeyId"],
        } | changes
        return self.call("POST", "/auth/ksef-token", values, token="")

    def finish(self, started: requests.Response) -> Client:
        """Take the tokens of a login that was started."""
        assert started.status_code == 202, started.text
        self.authentication = started.json()["authenticationToken"]["token"]
        status = self.login_status(started)
        assert status["status"]["code"] == 200, status
        tokens = self.call("POST", "/auth/token/redeem", token=self.authentication).json()
        self.access, self.refresh = (
            tokens[name]["token"] for name in ("accessToken", "refreshToken")
        )
        return self

    def login_status(self, started: requests.Response) -> dict[str, Any]:
        values = started.json()
        token = values["authenticationToken"]["token"]
        return self.call("GET", f"/auth/{values['referenceNumber']}", token=token).json()

    # -- sessions ----------------------------------------------------------------------------------

    def public_key(self, usage: str = SYMMETRIC) -> dict[str, Any]:
        listed = self.call("GET", "/security/public-key-certificates", token="").json()
        return max((k for k in listed if usage in k["usage"]), key=lambda k: k["validFrom"])

    def encryption(self) -> dict[str, str]:
        key = self.public_key()
        return {
            "encryptedSymmetricKey": wrapped(key, self.key),
            "initializationVector": base64.b64encode(self.vector).decode(),
            "publicKeyId": key["publicKeyId"],
        }

    def open(self, **changes: Any) -> requests.Response:
        values = {"formCode": FA3, "encryption": self.encryption()} | changes
        return self.call("POST", "/sessions/online", values)

    def opened(self, **changes: Any) -> str:
        response = self.open(**changes)
        assert response.status_code == 201, response.text
        return str(response.json()["referenceNumber"])

    def send(self, session: str, document: bytes, **changes: Any) -> requests.Response:
        content = encrypted(document, self.key, self.vector)
        values = {
            "invoiceHash": digest(document),
            "invoiceSize": len(document),
            "encryptedInvoiceHash": digest(content),
            "encryptedInvoiceSize": len(content),
            "encryptedInvoiceContent": base64.b64encode(content).decode(),
        } | changes
        return self.call("POST", f"/sessions/online/{session}/invoices", values)

    def sent(self, session: str, document: bytes, **changes: Any) -> dict[str, Any]:
        """Send an invoice; its status."""
        response = self.send(session, document, **changes)
        assert response.status_code == 202, response.text
        return self.status(session, response.json()["referenceNumber"])

    def status(self, session: str, invoice: str) -> dict[str, Any]:
        return self.call("GET", f"/sessions/{session}/invoices/{invoice}").json()


def wrapped(key: Mapping[str, Any], content: bytes) -> str:
    """Content encrypted for a published key."""
    certificate = x509.load_der_x509_certificate(base64.b64decode(key["certificate"]))
    public = certificate.public_key()
    assert isinstance(public, rsa.RSAPublicKey)
    return base64.b64encode(public.encrypt(content, OAEP)).decode()


def code_of(response: requests.Response) -> int:
    """The code of a refusal."""
    (listed,) = response.json()["exception"]["exceptionDetailList"]
    return int(listed["exceptionCode"])


def of_another_key(client: Client, plain: bytes) -> bytes:
    """The content encrypted with another key than the session's.

    One in 256 keys leaves the padding of something else: the first one that does not is taken.
    """
    made = (encrypted(plain, bytes([n]) * 32, client.vector) for n in range(256))
    return next(each for each in made if decrypted(each, client.key, client.vector) is None)
