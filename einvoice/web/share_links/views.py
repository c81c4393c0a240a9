"""POST and DELETE /api/invoices/{invoiceId}/share: the share link for the buyer."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import NotShareable
from einvoice.domain.roles import Role
from einvoice.services.invoices import handout_terms, share_links
from einvoice.web import answered_posts, credentials, paging
from einvoice.web.api import Family
from einvoice.web.responses import json_response
from einvoice.web.runtime import runtime
from einvoice.web.share_links.schemas import ShareLink, ShareQuery, ShownLink
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "sharing", __name__, url_prefix="/api", credential=credentials.session, tag="Shares"
)

_QUERY, _LINK = ShareQuery(), ShareLink()


@family.route("/invoices/<invoice_id>/share", methods=["POST"], least=Role.MEMBER)
@family.doc(parameters=[{"in": "query", "schema": ShareQuery}], requestBody=EMPTY_BODY)
@family.refuses(NotShareable)
@family.response(200, _LINK)
def share_invoice(invoice_id: str) -> Response:
    """Create the link by which the buyer sees the invoice without an account.

    Only a sent invoice can have a link, and only one: when it is Delivered, or before that if its
    network lets it be handed out. Its token is returned only here; regenerate=true replaces an
    existing link. The body is empty.
    """
    query = paging.read_query(_QUERY)
    read_empty_body()
    principal = credentials.session_of_request()
    link = share_links.share(
        invoice_id,
        principal,
        regenerate=query.get("regenerate") == "true",
        is_issued=handout_terms.issued_by(runtime(), principal.tenant_id),
    )
    settings = runtime().settings
    url = share_links.address(link.token, link.environment, settings) if link.token else None
    response = json_response(_LINK.write(ShownLink(link.token, url, link.created_at)))
    return answered_posts.shown_once(response, "shareToken", "shareUrl", alreadyShared=True)


@family.route("/invoices/<invoice_id>/share", methods=["DELETE"], least=Role.MEMBER)
@family.response(204)
def revoke_share(invoice_id: str) -> Response:
    """Revoke the invoice's link: it stops working at once. Without a link nothing changes."""
    share_links.revoke(invoice_id, credentials.session_of_request())
    return Response(status=204)
