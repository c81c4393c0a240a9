"""Earlier and alternative paths of public routes, which all stay active.

They have the same view, credential, rate limit and idempotency keys as the main path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from einvoice.web import credentials, send_requests
from einvoice.web.api import Family
from einvoice.web.public import invoices, views

# The main path, and its alternatives with and without "/api".
ALIASES = {
    "/api/invoices/send": "/v2/invoices/send",
    "/api/participants/lookup": "/v2/lookup",
    "/api/invoices/<invoice_id>/artefacts": "/v1/invoices/<invoice_id>/artefacts",
    "/api/invoices/<invoice_id>/artefacts/<artefact_id>": (
        "/v1/invoices/<invoice_id>/artefacts/<artefact_id>"
    ),
}

family = Family("aliases", __name__, credential=credentials.api_key, tag="Aliases")
family.after_request(send_requests.add_headers)


def _also_at(clean: str, view: Callable[..., Any], method: str) -> None:
    shown = clean.replace("<invoice_id>", "{invoiceId}").replace("<artefact_id>", "{artefactId}")
    documented = family.doc(
        summary=f"Alias of {method} {shown}",
        description=f"Identical to {method} {shown}, which is the one to use.",
        deprecated=True,
        tags=[family.tag],
        **{"x-alias-of": shown},
    )(view)
    for prefix in ("", "/api"):
        family.route(prefix + ALIASES[clean], methods=[method])(documented)


_also_at("/api/invoices/send", views.send_invoice, "POST")
_also_at("/api/participants/lookup", views.lookup_participant, "GET")
_also_at("/api/invoices/<invoice_id>/artefacts", invoices.list_artefacts, "GET")
_also_at("/api/invoices/<invoice_id>/artefacts/<artefact_id>", invoices.download_artefact, "GET")
