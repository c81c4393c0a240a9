"""A Polish company, its documents, and its access to the stand-in."""

from __future__ import annotations

import base64
import itertools
from datetime import timedelta

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)

from einvoice.domain.buyers import Buyer
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.network import samples
from einvoice.network.connection_testing import renewed
from einvoice.network.connections import Connection, Works
from einvoice_ksef.access_point import Ksef
from einvoice_ksef.configuration import Provider, Side
from einvoice_ksef.identity import Identity
from einvoice_ksef.pef.access_point import KsefPef
from tests.memory_store import MemoryStore
from tests.networks.companies import bound as bound
from tests.networks.companies import sent as sent
from tests.networks.companies import settled as settled
from tests.networks.ksef import samples as papers

SELLER, BUYER = papers.SELLER, papers.BUYER
PROVIDER = "PPL123456"
SEND = "POST /sessions/online/{referenceNumber}/invoices"
NUMBER = "5265877635-20250826-0100001AF629-AF"
_numbers = itertools.count(1)


def point_at(url, store=None, patience=timedelta(0), **settings) -> Ksef:
    """The access point; `patience`: how long an invoice may be missing in a list."""
    side = Side(Environment.TEST, url, **settings)
    return Ksef(side, MemoryStore() if store is None else store, patience)


def provider() -> Provider:
    """The operator as a provider of Peppol services."""
    key, certificate = papers.provider_seal(PROVIDER)
    return Provider(PROVIDER, Identity(certificate, key))


def pef_point_at(url, store=None, patience=timedelta(0), given=None) -> KsefPef:
    """The access point for PEF; `given`: the provider."""
    chosen = given or provider()
    side = Side(Environment.TEST, url, provider=chosen)
    return KsefPef(side, chosen, MemoryStore() if store is None else store, patience)


def refused(document: bytes) -> bytes:
    """The document with an instruction, which KSeF refuses with the status 430."""
    return document.replace(b"?>", b"?><?note?>", 1)


def new_connection(credentials, nip=SELLER, name="c1") -> Connection:
    return Connection(name, "t1", Environment.TEST, nip, credentials)


def connected(point, credentials, nip=SELLER, name="c1") -> Connection:
    """The connection of a company after it was opened."""
    new = new_connection(credentials, nip, name)
    outcome = point.open(new)
    assert isinstance(outcome, Works), outcome
    return renewed(new, outcome)


def envelope(number=None, **changes):
    """An invoice of the seller to the buyer in an envelope."""
    number = number or f"FV/{next(_numbers)}/2026"
    given = {
        "number": number,
        "document": papers.fa3(number, seller=changes.pop("seller", SELLER)),
        "document_type": DocumentTypeId("ksef-docid", "FA(3)"),
        "process": ProcessId("ksef-procid", "clearance"),
        "profile": "ksef-fa3",
        "sender": ParticipantId("9945", SELLER),
        "receiver": ParticipantId("9945", BUYER),
        "sender_country": "PL",
        "receiver_country": "PL",
        "buyer": Buyer("Nabywca", "PL", tax_id=BUYER, vat_id=f"PL{BUYER}"),
    } | changes
    return samples.envelope(**given)


def pef_envelope(number=None, **changes):
    """A PEF of the seller to the buyer in an envelope."""
    number = number or f"PEF/{next(_numbers)}/2026"
    document = papers.pef(number, seller=changes.pop("seller", SELLER))
    given = {
        "document": document,
        "document_type": BIS_INVOICE,
        "process": BIS_BILLING_PROCESS,
        "profile": "pef",
    }
    return envelope(number, **given | changes)


def kinds(evidence):
    return [each.kind.code for each in evidence]


def all_at_once(bound, envelopes):
    """The outcomes of one job, in order."""
    batch = [(one, bound.prepare(one)) for one in envelopes]
    found = dict(pair for group in bound.submit_as_completed(batch) for pair in group)
    return [found[place] for place in range(len(envelopes))]


def lose(service, call, fault="lost"):
    """Lose the answer to the next call of this name."""
    losses = [fault]

    def faults(name):
        return losses.pop() if losses and name == call else None

    service.faults = faults


# -- certificates ----------------------------------------------------------------------------------


def in_pkcs12(key, certificate, password="hunter2") -> dict[str, str]:
    """The credentials of a certificate in PKCS#12."""
    protection = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    file = pkcs12.serialize_key_and_certificates(b"seal", key, certificate, None, protection)
    return {"certificate": base64.b64encode(file).decode(), "password": password}


def in_pem(key, certificate, password="") -> dict[str, str]:
    """The credentials of a certificate in two PEM files."""
    protection = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection)
    public = certificate.public_bytes(Encoding.PEM)
    given = {"certificate": public, "key": private}
    files = {name: base64.b64encode(file).decode() for name, file in given.items()}
    return files | ({"password": password} if password else {})


def offline_certificate(key=None, **changes):
    """A key and a certificate of the type Offline, as `samples.ksef_certificate` makes it."""
    return papers.ksef_certificate("Offline", key=key, **changes)


def offline_credentials(key=None, files=in_pem, use="", **changes) -> dict[str, str]:
    """The credentials of an Offline certificate."""
    given = files(*offline_certificate(key, **changes))
    names = {
        "certificate": "offlineCertificate",
        "key": "offlineKey",
        "password": "offlinePassword",
    }
    renamed = {names[name]: value for name, value in given.items()}
    return renamed | ({"offlineUse": use} if use else {})


def verify(public, text: bytes, signature: bytes) -> None:
    """Raise InvalidSignature unless the signature is as the guide describes it."""
    if isinstance(public, rsa.RSAPublicKey):
        pss = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
        public.verify(signature, text, pss, hashes.SHA256())
        return
    assert len(signature) == 64
    halves = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    public.verify(encode_dss_signature(*halves), text, ec.ECDSA(hashes.SHA256()))


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
