"""The seal of the stand-in: a detached XML signature by a certificate of its own."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from datetime import timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from einvoice import clock

DSIG = "http://www.w3.org/2000/09/xmldsig#"
_INFO = (
    '<SignedInfo{xmlns}><CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-'
    '20010315"></CanonicalizationMethod><SignatureMethod Algorithm="http://www.w3.org/2001/04/'
    'xmldsig-more#rsa-sha256"></SignatureMethod><Reference URI="{uri}"><DigestMethod Algorithm="'
    'http://www.w3.org/2001/04/xmlenc#sha256"></DigestMethod><DigestValue>{digest}</DigestValue>'
    "</Reference></SignedInfo>"
)


class Signer:
    """A key with its certificate, valid for ten years."""

    def __init__(self, name: str) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = clock.now()
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=3650))
            .sign(self.key, hashes.SHA256())
        )

    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def signature(self, name: str, content: bytes) -> bytes:
        """The signature over a file of this name."""
        digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
        signed = _INFO.format(xmlns=f' xmlns="{DSIG}"', uri=name, digest=digest)
        value = self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        der = self.certificate.public_bytes(serialization.Encoding.DER)
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Signature xmlns="{DSIG}">'
            f"{_INFO.format(xmlns='', uri=name, digest=digest)}"
            f"<SignatureValue>{base64.b64encode(value).decode()}</SignatureValue><KeyInfo><X509Data>"
            f"<X509Certificate>{base64.b64encode(der).decode()}</X509Certificate></X509Data>"
            "</KeyInfo></Signature>"
        ).encode()

    def archive(self, index: str, content: bytes) -> bytes:
        """The ZIP with the content and its signature."""
        name = f"{index}.xml"
        return zipped({name: content, f"semnatura_{name}": self.signature(name, content)})


@cache
def ministry() -> Signer:
    """The signer of the stand-in; a key takes a tenth of a second."""
    return Signer("MINISTERUL FINANTELOR (test)")


def zipped(entries: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return made.getvalue()
