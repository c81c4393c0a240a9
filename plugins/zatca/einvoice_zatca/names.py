"""Namespaces and identifiers in documents of Fatoora."""

from __future__ import annotations

from typing import Final

_UBL: Final = "urn:oasis:names:specification:ubl:schema:xsd:"
INV: Final = f"{{{_UBL}Invoice-2}}"
CAC: Final = f"{{{_UBL}CommonAggregateComponents-2}}"
CBC: Final = f"{{{_UBL}CommonBasicComponents-2}}"
EXT: Final = f"{{{_UBL}CommonExtensionComponents-2}}"
SIG: Final = f"{_UBL}CommonSignatureComponents-2"
SAC: Final = f"{_UBL}SignatureAggregateComponents-2"
SBC: Final = f"{_UBL}SignatureBasicComponents-2"
DS: Final = "http://www.w3.org/2000/09/xmldsig#"
XADES: Final = "http://uri.etsi.org/01903/v1.3.2#"
SHA256: Final = "http://www.w3.org/2001/04/xmlenc#sha256"

SIGNATURE_ID: Final = "urn:oasis:names:specification:ubl:signature:Invoice"
SIGNATURE_INFORMATION_ID: Final = "urn:oasis:names:specification:ubl:signature:1"
ENVELOPED: Final = "urn:oasis:names:specification:ubl:dsig:enveloped:xades"

COUNTER, PREVIOUS, QR = "ICV", "PIH", "QR"  # the references that a unit adds
TAGS: Final = {
    "cac": CAC[1:-1],
    "cbc": CBC[1:-1],
    "ext": EXT[1:-1],
    "sig": SIG,
    "sac": SAC,
    "sbc": SBC,
    "ds": DS,
    "xades": XADES,
}
