"""Sends a document with peppol-py: `send.py FOLDER KEY URL DOCUMENT SENDER RECEIVER`.

FOLDER has KEY.key and KEY.pem of the sender, and c3.pem of the receiver. The lookup is left out: it
knows the networks of OpenPeppol only. Prints SUCCESS, or the error.
"""

import datetime
import os
import sys
from pathlib import Path

from lxml import etree
from peppol_py import as4_sender, sender
from peppol_py.exception import SendPeppolError

HERE = Path(__file__).parent
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # of xmlsec1 beside this


def send(folder: Path, key: str, url: str, document: bytes, seller: str, buyer: str) -> None:
    """Raises what peppol-py raises."""
    own, other = ((folder / f"{name}.pem").read_bytes() for name in (key, "c3"))
    invoice = etree.fromstring(document)
    kind = sender.get_document_type_from_ubl(invoice, document_type_version="2.1")
    process = invoice.findtext("./{*}ProfileID")
    now = datetime.datetime.now(tz=datetime.UTC).replace(microsecond=0).isoformat()
    content, envelope = sender.wrap_ubl_in_peppol_standard_business_document_header(
        invoice, now, kind, process, seller, "BE", buyer
    )
    body, headers = as4_sender.get_headers_and_body_for_posting_as4_document(
        content, envelope, now, kind, process, seller, buyer,
        sender.get_common_name_from_certificate(other), str(HERE / "xmlsec1"),
        str(folder / f"{key}.key"), "test", own, other,
        sender.get_common_name_from_certificate(own),
    )  # fmt: skip
    as4_sender.post_edelivery_as4_document(url, body, headers, timeout=60, user_agent="peppol-py")


if __name__ == "__main__":
    folder, key, url, document, seller, buyer = sys.argv[1:]
    try:
        send(Path(folder), key, url, Path(document).read_bytes(), seller, buyer)
        print("SUCCESS")
    except SendPeppolError as fault:
        print("FAILURE", str(fault).replace("\n", " "))
