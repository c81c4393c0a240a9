"""Own domains of mails: the records that DNS needs, and what it has of each."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import Conflict, InvalidField, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.account import mail_domains
from einvoice.web.admission import slots
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime

_LIST = "dashboard_mail_domains.list_domains"
_SHOWN = (InvalidField, Conflict)

family = Pages("dashboard_mail_domains", __name__, "/dashboard/settings/mail/domains")


@family.page("", least=Role.ADMIN)
def list_domains() -> Response:
    """The domains with their records."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def add_domain() -> Response:
    """Add a domain; the page then has what to put into DNS."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        with slots.released():
            mail_domains.add(principal.tenant_id, given.get("domain", ""), runtime(), principal)
    except _SHOWN as refusal:
        return _listed(given, refusal)
    return pages.redirect_to(_LIST, "domainAdded")


@family.page("/<mail_domain_id>/check", least=Role.ADMIN, methods=["POST"])
def check_domain(mail_domain_id: str) -> Response:
    """Ask DNS now."""
    with slots.released():
        mail_domains.check(pages.who().tenant_id, mail_domain_id, runtime())
    return pages.redirect_to(_LIST, "domainChecked")


@family.page("/<mail_domain_id>/delete", least=Role.ADMIN, methods=["POST"])
def remove_domain(mail_domain_id: str) -> Response:
    """Remove a domain and its key."""
    mail_domains.remove(pages.who().tenant_id, mail_domain_id, pages.who())
    return pages.redirect_to(_LIST, "deleted")


def _listed(given: dict[str, str] | None = None, refusal: RequestRefused | None = None) -> Response:
    """The page. `given`: the form that was refused, `refusal`: why."""
    return pages.render(
        "dashboard/mail_domains.html",
        200 if refusal is None else 409,
        domains=mail_domains.all_of(pages.who().tenant_id, runtime()),
        may_send=runtime().outgoing is not None,
        given=given or {},
        errors=forms.errors_of(refusal),
        refusal=refusal,
    )
