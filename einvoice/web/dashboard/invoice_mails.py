"""The mails of an invoice: as it was sent or received, and what came back; and their files."""

from __future__ import annotations

from flask import Response

from einvoice.domain.codes import ATTACHMENT_TYPES
from einvoice.domain.roles import Role
from einvoice.mail.messages import file_name
from einvoice.services.invoices import detail, kept_mails
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import attachment

family = Pages("dashboard_invoice_mails", __name__, "/dashboard/invoices")


@family.page("/<invoice_id>/mails", least=Role.VIEWER)
def show_mails(invoice_id: str) -> Response:
    """The mails, which the page of the invoice loads."""
    principal = pages.who()
    return pages.render(
        "dashboard/mails.html",
        record=detail.record_of(invoice_id, principal),
        mails=kept_mails.of_invoice(invoice_id, principal, runtime().computing),
    )


@family.page("/<invoice_id>/mails/<artefact_id>/<number>", least=Role.VIEWER)
def download_file(invoice_id: str, artefact_id: str, number: str) -> Response:
    """A file of a mail, by its zero-based number."""
    place = forms.whole_number(number)
    file, content = kept_mails.file_of(
        invoice_id, artefact_id, -1 if place is None else place, pages.who(), runtime().computing
    )
    is_known = file.content_type in ATTACHMENT_TYPES
    kind = file.content_type if is_known else "application/octet-stream"
    name = file_name(file.name).encode("ascii", "ignore").decode().strip(" .")
    return attachment(content, kind, name or f"file-{number}")
