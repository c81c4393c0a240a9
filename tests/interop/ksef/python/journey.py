"""A journey of ksef-client through the stand-in; run in its own environment.

journey.py FOLDER prints an object with the result of each step. The folder has given.json (url,
token, nip), certificate.pem, key.pem, and the invoices single.xml and batch-1.xml, batch-2.xml.
"""

import base64
import json
import sys
import time
from pathlib import Path

from ksef_client import KsefClient, KsefClientOptions, http
from ksef_client import models as m
from ksef_client.services import AuthCoordinator, OnlineSessionWorkflow
from ksef_client.services.crypto import build_encryption_data
from ksef_client.services.workflows import BatchSessionWorkflow, ExportWorkflow
from ksef_client.services.xades import XadesKeyPair
from ksef_client.utils.ksef_number import is_valid_ksef_number
from ksef_client.utils.zip_utils import build_zip

FA3 = m.FormCode(system_code="FA (3)", schema_version="1-0E", value="FA")


def journey(folder):
    given = json.loads((folder / "given.json").read_text())
    http._validate_presigned_url_security = lambda *_: None  # it refuses loopback addresses
    options = KsefClientOptions(base_url=given["url"])
    with KsefClient(options) as client:
        by_signature = signed_in(client, folder, given["nip"])
        by_token = AuthCoordinator(client.auth).authenticate_with_ksef_token(
            token=given["token"],
            public_certificate=pem(client, "KSEFTOKENENCRYPTION"),
            context_identifier_type="nip",
            context_identifier_value=given["nip"],
            poll_interval_seconds=0.1,
        )
        refreshed = client.auth.refresh_access_token(by_token.tokens.refresh_token.token)
        access = refreshed.access_token.token
        return {
            "by signature": by_signature.access_token.count("."),
            "by token": by_token.access_token.count("."),
            "single": sent(client, access, (folder / "single.xml").read_bytes()),
            "batch": packed(client, access, folder),
            "listed": listed(client, access),
            "exported": exported(client, access),
        }


def pem(client, usage):
    return client.security.get_public_key_certificate_pem(m.PublicKeyCertificateUsage[usage])


def signed_in(client, folder, nip):
    return AuthCoordinator(client.auth).authenticate_with_xades_key_pair(
        key_pair=XadesKeyPair(
            (folder / "certificate.pem").read_text(), (folder / "key.pem").read_text()
        ),
        context_identifier_type="nip",
        context_identifier_value=nip,
        subject_identifier_type="certificateSubject",
        poll_interval_seconds=0.1,
    )


def sent(client, access, invoice):
    """An invoice of an interactive session."""
    session = OnlineSessionWorkflow(client.sessions).open_session(
        form_code=FA3,
        public_certificate=pem(client, "SYMMETRICKEYENCRYPTION"),
        access_token=access,
    )
    reference = session.send_invoice(invoice).reference_number
    status = session.get_invoice_status(reference)
    upo = session.get_invoice_upo_by_ref(reference)
    again = session.send_invoice(invoice).reference_number
    session.close()
    closed = session.get_status()
    page = closed.upo.pages[0]
    return {
        "code": status.status.code,
        "number": status.ksef_number,
        "number is right": is_valid_ksef_number(status.ksef_number),
        "upo": base64.b64encode(upo).decode(),
        "duplicate": session.get_invoice_status(again).status.extensions,
        "session": session.reference_number,
        "session code": closed.status.code,
        "session upo": len(session.get_upo(page.reference_number)),
    }


def packed(client, access, folder):
    """Two invoices of a batch session."""
    files = {each.name: each.read_bytes() for each in sorted(folder.glob("batch-*.xml"))}
    reference = BatchSessionWorkflow(client.sessions, client.http_client).open_upload_and_close(
        form_code=FA3,
        zip_bytes=build_zip(files),
        public_certificate=pem(client, "SYMMETRICKEYENCRYPTION"),
        access_token=access,
    )
    found = client.sessions.get_session_status(reference, access_token=access)
    return [found.status.code, found.successful_invoice_count]


def dates():
    now = time.time()
    shown = lambda at: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))  # noqa: E731
    return {"date_from": shown(now - 3600), "date_to": shown(now + 3600)}


def listed(client, access):
    found = client.invoices.query_invoice_metadata_by_date_range(
        subject_type=m.InvoiceQuerySubjectType.SUBJECT1,
        date_type=m.InvoiceQueryDateType.PERMANENTSTORAGE,
        access_token=access,
        page_size=10,
        **dates(),
    )
    return [each.invoice_number for each in found.invoices]


def exported(client, access):
    """The names of the files of an export package."""
    encryption = build_encryption_data(pem(client, "SYMMETRICKEYENCRYPTION"))
    span = dates()
    request = m.InvoiceExportRequest.from_dict(
        {
            "encryption": encryption.encryption_info.to_dict(),
            "filters": {
                "subjectType": "Subject1",
                "dateRange": {
                    "dateType": "PermanentStorage",
                    "from": span["date_from"],
                    "to": span["date_to"],
                },
            },
        }
    )
    order = client.invoices.export_invoices(request, access_token=access)
    status = client.invoices.get_export_status(order.reference_number, access_token=access)
    done = ExportWorkflow(client.invoices, client.http_client)
    package = done.download_and_process_package(status.package, encryption)
    return [sorted(package.invoice_xml_files), len(package.metadata_summaries)]


if __name__ == "__main__":
    print(json.dumps(journey(Path(sys.argv[1]))))
