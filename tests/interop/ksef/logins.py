"""Signed logins of several makers, good and changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice import clock
from einvoice_ksef import xades
from einvoice_ksef.identity import Identity
from einvoice_ksef.xades import Context
from tests.interop.ksef import foreign
from tests.networks.ksef import samples

CHALLENGE = "20260314-CR-226FB7B000-3ACF9BE4C0-10"
NIP = "5265877635"
KEYS = {
    "rsa-2048": lambda: rsa.generate_private_key(65537, 2048),
    "rsa-4096": lambda: rsa.generate_private_key(65537, 4096),
    "p-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p-384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "p-521": lambda: ec.generate_private_key(ec.SECP521R1()),
}


def write_ours(folder: Path, names: Iterable[str] = KEYS) -> None:
    """Logins of the plugin: NAME.xml with NAME.pem, and changed ones."""
    for name in names:
        key, certificate = samples.seal_of(NIP, KEYS[name]())
        request = xades.request(CHALLENGE, (Context.NIP, NIP))
        signed = xades.signed(request, Identity(certificate, key), clock.now())
        changes = {
            name: signed,
            f"{name}-other-nip": signed.replace(b"<Nip>5265877635<", b"<Nip>5265877636<"),
            f"{name}-other-time": signed.replace(b"Z</xades:SigningTime>", b"</xades:SigningTime>"),
        }
        for each, document in changes.items():
            (folder / f"{each}.xml").write_bytes(document)
            (folder / f"{each}.pem").write_bytes(certificate.public_bytes(Encoding.PEM))


def write_theirs(folder: Path) -> None:
    """Logins of ksef-client and signxml, by one RSA key."""
    key, certificate = samples.seal_of(NIP)
    foreign.write_identity(folder, key, certificate)
    (folder / "request.xml").write_text(xades.request(CHALLENGE, (Context.NIP, NIP)))
    foreign.python("sign.py", folder)
    (folder / "request.xml").unlink()
