"""Signs a request of a login with ksef-client and with signxml; run in its own environment.

sign.py FOLDER: reads request.xml, certificate.pem and key.pem, and writes ksef-client.xml,
signxml-c14n10.xml, signxml-c14n11.xml and signxml-exclusive.xml.
"""

import sys
from pathlib import Path

from ksef_client.services.xades import sign_xades_enveloped
from lxml import etree
from signxml import CanonicalizationMethod, SignatureConstructionMethod
from signxml.xades import XAdESSigner

FORMS = {
    "c14n10": CanonicalizationMethod.CANONICAL_XML_1_0,
    "c14n11": CanonicalizationMethod.CANONICAL_XML_1_1,
    "exclusive": CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0,
}


def main(folder):
    request = (folder / "request.xml").read_text()
    certificate, key = ((folder / name).read_text() for name in ("certificate.pem", "key.pem"))
    signed = sign_xades_enveloped(request, certificate, key)
    (folder / "ksef-client.xml").write_text(signed)
    for name, form in FORMS.items():
        signer = XAdESSigner(
            method=SignatureConstructionMethod.enveloped,
            c14n_algorithm=form,
        )
        root = signer.sign(etree.fromstring(request.encode()), key=key, cert=certificate)
        (folder / f"signxml-{name}.xml").write_bytes(etree.tostring(root))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
