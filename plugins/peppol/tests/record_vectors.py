"""Write tests/vectors: one message with its receipt, and the keys that open it.

    python plugins/peppol/tests/record_vectors.py

They are made once. A later version must still open the message and verify the receipt, because
both are stored for years. The keys belong to a throw-away PKI: never trust them.
"""

from __future__ import annotations

from pathlib import Path

from as4_samples import INFO, sent
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from throwaway_pki import Pki

from einvoice.network import samples
from einvoice_peppol.as4 import signals
from einvoice_peppol.identity import Identity

FOLDER = Path(__file__).with_name("vectors")


def main() -> None:
    pki = Pki("TEST")
    c2, c3 = (Identity(leaf.certificate, leaf.key) for leaf in (pki.c2, pki.c3))
    message = sent(c2, c3, samples.envelope(number="VECTOR-1").document)
    key = c3.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    files = {
        "message.type": message.content.content_type.encode(),
        "message.bin": message.content.body,
        "receipt.xml": signals.receipt(INFO, message.references, c3),
        "c2.pem": c2.certificate.public_bytes(Encoding.PEM),
        "c3.pem": c3.certificate.public_bytes(Encoding.PEM),
        "c3.key": key,
    }
    FOLDER.mkdir(exist_ok=True)
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
