"""Mails: domains they are sent from, addresses for bills, a preview, and a test to oneself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, Conflict
from einvoice.domain.roles import Role
from einvoice.network.held_addresses import HeldAddress
from einvoice.services.account import mail_domains
from einvoice.services.account.mail_domains import OwnDomain
from einvoice.services.connections import held_addresses, mail_addresses
from einvoice.services.connections.mail_addresses import MailAddress
from einvoice.services.invoices import mail_previews
from einvoice.services.invoices.mail_previews import MailPreview, TestedMail
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.account import mail_schemas as schemas
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

# Domains and words belong to the tenant, addresses to one of its environments.
people = Family(
    "mail", __name__, url_prefix="/api/mail", credential=credentials.session, tag="Mail"
)
family = Family(
    "mail_addresses",
    __name__,
    url_prefix="/api/mail",
    credential=credentials.session_or_platform,
    tag="Mail",
)

_DOMAIN, _ADDRESS, _CHANGES, _QUERY = (
    schemas.NewMailDomain(),
    schemas.NewMailAddress(),
    schemas.MailAddressChanges(),
    schemas.MailAddressQuery(),
)
_RECORD = schemas.MailAddressResponse()
_PREVIEW, _TEST = schemas.MailPreviewRequest(), schemas.MailTestRequest()
REMOVABLE = frozenset({"name", "glAccountCode"})


# -- domains ---------------------------------------------------------------------------------------


@people.route("/domains", least=Role.ADMIN)
@people.response(200, schemas.MailDomainList())
def list_mail_domains() -> list[OwnDomain]:
    """List the domains from which mails are sent, with the records that DNS needs."""
    return mail_domains.all_of(credentials.session_of_request().tenant_id, runtime())


@people.route("/domains", methods=["POST"], least=Role.ADMIN)
@people.doc(requestBody=documented_body(schemas.NewMailDomain))
@people.refuses(Conflict)
@people.response(201, schemas.MailDomainResponse())
def create_mail_domain() -> Written[OwnDomain]:
    """Add a domain, at most 10, with a key of its own for DKIM.

    Put its records into DNS. They are looked for from time to time, or by a check; then mails are
    sent from `mail.sender` of the profile. 409 conflict if it is in the list, or the operator sends
    no mail.
    """
    principal = credentials.session_of_request()
    name = bodies.read_body(_DOMAIN, bodies.received())["domain"]
    with slots.released():
        made = mail_domains.add(principal.tenant_id, name, runtime(), principal)
    return created(made, f"/api/mail/domains/{made.id}")


@people.route("/domains/<mail_domain_id>", least=Role.ADMIN)
@people.response(200, schemas.MailDomainResponse())
def get_mail_domain(mail_domain_id: str) -> OwnDomain:
    """Get a domain, with what DNS had of its records when it was asked last."""
    tenant_id = credentials.session_of_request().tenant_id
    return mail_domains.get(tenant_id, mail_domain_id, runtime())


@people.route("/domains/<mail_domain_id>/check", methods=["POST"], least=Role.ADMIN)
@people.doc(requestBody=EMPTY_BODY)
@people.response(200, schemas.MailDomainResponse())
def check_mail_domain(mail_domain_id: str) -> OwnDomain:
    """Ask DNS for the records of a domain now."""
    read_empty_body()
    tenant_id = credentials.session_of_request().tenant_id
    with slots.released():
        return mail_domains.check(tenant_id, mail_domain_id, runtime())


@people.route("/domains/<mail_domain_id>", methods=["DELETE"], least=Role.ADMIN)
@people.response(204)
def delete_mail_domain(mail_domain_id: str) -> Response:
    """Remove a domain and its key; mails are sent from the operator's address."""
    principal = credentials.session_of_request()
    mail_domains.remove(principal.tenant_id, mail_domain_id, principal)
    return Response(status=204)


# -- addresses -------------------------------------------------------------------------------------


@family.route("/addresses", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.MailAddressQuery}])
@family.response(200, schemas.MailAddressList())
def list_mail_addresses() -> list[MailAddress]:
    """List the addresses at which bills arrive, without closed ones."""
    environment = Environment(paging.read_query(_QUERY)["environment"])
    credentials.chosen_environment(environment.value)
    return mail_addresses.all_of(credentials.session_of_request().tenant_id, environment, runtime())


@family.route("/addresses", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewMailAddress))
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(201, schemas.MailAddressResponse())
def create_mail_address() -> Written[MailAddress]:
    """Make an address at which bills arrive.

    409 conflict if the operator receives no mail in the environment.
    """
    asked = bodies.read_body(_ADDRESS, bodies.received())
    credentials.chosen_environment(asked["environment"])
    principal = credentials.session_of_request()
    with slots.released():
        made = mail_addresses.create(
            principal.tenant_id,
            Environment(asked["environment"]),
            runtime(),
            name=asked.get("name") or "",
            gl_account_code=asked.get("glAccountCode") or None,
            by=principal,
        )
    return created(made, f"/api/mail/addresses/{made.id}")


@family.route("/addresses/<mail_address_id>", least=Role.ADMIN)
@family.response(200, schemas.MailAddressResponse())
def get_mail_address(mail_address_id: str) -> MailAddress:
    """Get an address."""
    return _own(mail_address_id)


@family.route("/addresses/<mail_address_id>", methods=["PATCH"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.MailAddressChanges))
@family.response(200, schemas.MailAddressResponse())
def update_mail_address(mail_address_id: str) -> MailAddress:
    """Change the name, or the account of bills."""
    record = _RECORD.dump(_own(mail_address_id))
    asked: dict[str, Any] = bodies.read_patch(_CHANGES, bodies.received(), REMOVABLE, record)
    principal = credentials.session_of_request()
    return mail_addresses.change(
        principal.tenant_id,
        mail_address_id,
        runtime(),
        name=(asked["name"] or "") if "name" in asked else None,
        gl_account_code=(asked["glAccountCode"] or "") if "glAccountCode" in asked else None,
        by=principal,
    )


@family.route("/addresses/<mail_address_id>/rotate", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(201, schemas.MailAddressResponse())
def rotate_mail_address(mail_address_id: str) -> Written[MailAddress]:
    """Make another address with the same name and account; this one takes no mail any more."""
    read_empty_body()
    _own(mail_address_id)
    principal = credentials.session_of_request()
    with slots.released():
        made = mail_addresses.rotate(principal.tenant_id, mail_address_id, runtime(), principal)
    return created(made, f"/api/mail/addresses/{made.id}")


@family.route("/addresses/<mail_address_id>", methods=["DELETE"], least=Role.ADMIN)
@family.refuses(Conflict)
@family.response(204)
def close_mail_address(mail_address_id: str) -> Response:
    """Close an address. 409 conflict while mails that it has taken are still to be read."""
    _own(mail_address_id)
    principal = credentials.session_of_request()
    with slots.released():
        mail_addresses.close(principal.tenant_id, mail_address_id, runtime(), principal)
    return Response(status=204)


def _own(mail_address_id: str) -> MailAddress:
    """The address, if the caller sees its environment. Raises NotFound."""
    tenant_id = credentials.session_of_request().tenant_id
    found = mail_addresses.get(tenant_id, mail_address_id, runtime())
    credentials.check_environment(
        found.environment.value, f"There is no address {mail_address_id[:40]!r}."
    )
    return found


# -- addresses that get no mail --------------------------------------------------------------------


@family.route("/held-addresses", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.MailAddressQuery}])
@family.response(200, schemas.HeldAddressList())
def list_held_addresses() -> Sequence[HeldAddress]:
    """List the addresses of buyers that get no mail of yours, because they do not exist, at most
    1,000; the newest first."""
    environment = Environment(paging.read_query(_QUERY)["environment"])
    credentials.chosen_environment(environment.value)
    tenant_id = credentials.session_of_request().tenant_id
    return held_addresses.of_tenant(tenant_id, environment, runtime())


@family.route("/held-addresses/<held_address_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def lift_held_address(held_address_id: str) -> Response:
    """Send mail to an address again, in both environments; a further failure holds it again."""
    principal = credentials.session_of_request()
    held_addresses.lift(
        principal.tenant_id, principal.environments, held_address_id, runtime(), principal
    )
    return Response(status=204)


# -- preview and test ------------------------------------------------------------------------------


@people.route("/preview", methods=["POST"], least=Role.VIEWER)
@answered_posts.takes_no_key
@people.doc(requestBody=documented_body(schemas.MailPreviewRequest))
@people.response(200, schemas.MailPreviewResponse())
def preview_mail() -> MailPreview:
    """Show the mail of a sample invoice; nothing is stored or sent."""
    asked = bodies.read_body(_PREVIEW, bodies.received())
    return mail_previews.preview(
        credentials.session_of_request().tenant_id,
        runtime(),
        language=asked.get("language") or "en",
        country=asked.get("country"),
        changes=asked.get("mail"),
    )


@people.route("/test", methods=["POST"], least=Role.ADMIN)
@answered_posts.takes_no_key
@people.doc(requestBody=documented_body(schemas.MailTestRequest))
@people.refuses(Conflict, AccessPointUnavailable)
@people.response(200, schemas.MailTestResponse())
def test_mail() -> TestedMail:
    """Send the mail of a sample invoice to the address of your login.

    409 conflict if the operator sends no mail, or your login has no address.
    """
    asked = bodies.read_body(_TEST, bodies.received())
    principal = credentials.session_of_request()
    with slots.released():
        return mail_previews.send_test(
            principal.tenant_id,
            principal,
            runtime(),
            language=asked.get("language") or "en",
            country=asked.get("country"),
        )
