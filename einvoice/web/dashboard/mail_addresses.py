"""The addresses at which bills arrive by mail, and what became of the mails that came last."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    InvalidField,
    RequestRefused,
    TooBusy,
)
from einvoice.domain.roles import Role
from einvoice.services.connections import mail_addresses
from einvoice.services.inbound import mail_arrivals
from einvoice.web.admission import slots
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime

_LIST = "dashboard_mail_addresses.list_addresses"
_SHOWN = (InvalidField, Conflict, AccessPointUnavailable, TooBusy)

family = Pages("dashboard_mail_addresses", __name__, "/dashboard/settings/mail/addresses")


@family.page("", least=Role.ADMIN)
def list_addresses() -> Response:
    """The addresses of the chosen environment."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def add_address() -> Response:
    """Make an address."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        with slots.released():
            mail_addresses.create(
                principal.tenant_id,
                pages.environment(),
                runtime(),
                name=given.get("name", "").strip(),
                gl_account_code=given.get("glAccountCode", "").strip() or None,
                by=principal,
            )
    except _SHOWN as refusal:
        return _listed(refusal, given)
    return _to_list("addressAdded")


@family.page("/<mail_address_id>", least=Role.ADMIN, methods=["POST"])
def change_address(mail_address_id: str) -> Response:
    """Change the name and the account of bills."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        with slots.released():
            mail_addresses.change(
                principal.tenant_id,
                mail_address_id,
                runtime(),
                name=given.get("name", "").strip(),
                gl_account_code=given.get("glAccountCode", "").strip(),
                by=principal,
            )
    except _SHOWN as refusal:
        return _listed(refusal, {**given, "of": mail_address_id})
    return _to_list("saved")


@family.page("/<mail_address_id>/rotate", least=Role.ADMIN, methods=["POST"])
def rotate_address(mail_address_id: str) -> Response:
    """Make another address with the same name and account, and close this one."""
    try:
        with slots.released():
            mail_addresses.rotate(pages.who().tenant_id, mail_address_id, runtime(), pages.who())
    except _SHOWN as refusal:
        return _listed(refusal)
    return _to_list("addressRotated")


@family.page("/<mail_address_id>/close", least=Role.ADMIN, methods=["POST"])
def close_address(mail_address_id: str) -> Response:
    """Take no mail at an address any more."""
    try:
        with slots.released():
            mail_addresses.close(pages.who().tenant_id, mail_address_id, runtime(), pages.who())
    except _SHOWN as refusal:
        return _listed(refusal)
    return _to_list("addressClosed")


def _to_list(notice: str) -> Response:
    return pages.redirect_to(_LIST, notice, environment=pages.environment().value)


def _listed(refusal: RequestRefused | None = None, given: dict[str, str] | None = None) -> Response:
    """The page. `refusal`: why something was not done; `given`: the form that was refused, with
    the id of its address in `of`, or for a new one without."""
    tenant_id, place = pages.who().tenant_id, pages.environment()
    found = mail_addresses.all_of(tenant_id, place, runtime())
    arrived = mail_arrivals.newest(tenant_id, place, [each.id for each in found])
    return pages.render(
        "dashboard/mail_addresses.html",
        200 if refusal is None else 409,
        addresses=found,
        names={each.id: each.name or each.address for each in found},
        arrived=arrived,
        is_offered=mail_addresses.is_offered(place, runtime().access_points),
        given=given or {},
        errors=forms.errors_of(refusal),
        refusal=refusal,
        longest_name=mail_addresses.MAX_NAME,
        longest_account=mail_addresses.MAX_ACCOUNT,
    )
