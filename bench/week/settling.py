"""How tenants come into the service before the week: accounts, keys, webhooks, ids, connections."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from flask import Flask

from bench.week.accounts import Account
from bench.week.lives import Receivers
from bench.week.networks import Networks
from bench.week.plan import Plan, Shape, Tenant
from bench.week.writing import NATIONAL_STORIES
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY, PLATFORM_KEY, CredentialKind
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import credentials, platforms, tenants
from einvoice.services.connections import accounts, consents
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.principal import Session
from einvoice.services.webhooks import endpoints
from einvoice.store.installation import schema_revisions
from einvoice.web.runtime import runtime_of
from einvoice_fr_ctc.names import NETWORK as FRANCE
from einvoice_zatca.form import NETWORK as ARABIA
from plugins.anaf.tests import company
from plugins.zatca.tests import saudi, unit
from tests.networks.fr import company as french
from tests.networks.ksef import samples as papers

SANDBOX = Environment.TEST
# The French company has its sales to consumers reported by the service.
REPORTING = {
    "vatRegime": "normal-monthly", "platformNumber": "0001", "reportsFrom": "2026-09-01",
    "sells": "services", "buys": "services",
}  # fmt: skip


class Settler:
    """Makes the accounts of a plan."""

    def __init__(
        self, app: Flask, settings: Settings, receivers: Receivers, networks: Networks
    ) -> None:
        self._app, self._settings = app, settings
        self._receivers, self._networks = receivers, networks
        self.made: dict[int, Account] = {}

    def settle(self, one: Tenant) -> None:
        """Make the account of a tenant; that of its platform is made before it."""
        match one.shape:
            case Shape.PLATFORM:
                tenant, account = self._with_key(PLATFORM_KEY, platforms.create(one.name), one)
            case Shape.SMALL:
                tenant, account = self._small(one)
            case _:
                tenant, account = self._with_key(API_KEY, tenants.create(one.name), one)
        self.made[one.number] = account
        url = self._receivers.url(one)
        endpoints.create(tenant, SANDBOX, url=url, event_types=["*"], settings=self._settings)
        if one.shape is not Shape.PLATFORM:
            story = NATIONAL_STORIES.get(one.shape)
            parties = () if story is None else (story.seller, story.buyer)
            for each in (one.participant, *parties):
                tenants.own_participant(tenant, SANDBOX, ParticipantId.parse(each))
        self._connect(one.shape, tenant)
        if one.gets_mail:
            self._open(tenant, "mail-in-test", one.mailbox, {})

    def _with_key(self, kind: CredentialKind, tenant: str, one: Tenant) -> tuple[str, Account]:
        scopes = SCOPES if kind is API_KEY else None
        key = credentials.create(kind, tenant, "erp", SANDBOX, scopes=scopes)
        return tenant, Account(tenant, key.secret, one.number, key_id=key.record.id)

    def _small(self, one: Tenant) -> tuple[str, Account]:
        platform = self.made[one.platform or 0]
        tenant, external = tenants.create(one.name), f"small-{one.number}"
        platforms.adopt(platform.tenant, tenant, external)
        return tenant, Account(tenant, platform.key, one.number, external)

    def _connect(self, shape: Shape, tenant: str) -> None:
        networks = self._networks
        match shape:
            case Shape.ROMANIAN:
                self._consent(tenant)
            case Shape.POLISH:
                token = networks.ksef.authority.issue_token(papers.SELLER)
                self._open(tenant, "ksef", papers.SELLER, {"token": token})
            case Shape.FRENCH:
                given = french.credentials(networks.fr, french.SELLER) | REPORTING
                self._open(tenant, FRANCE, french.SELLER, given)
            case Shape.SAUDI:
                given = {**unit.FIELDS, "otp": networks.zatca.authority.otp()}
                self._open(tenant, ARABIA, f"SA{saudi.VAT_NUMBER}", given)

    def _open(self, tenant: str, network: str, account: str, given: Mapping[str, str]) -> None:
        new = NewConnection(SANDBOX, network, account, credentials=dict(given))
        made = accounts.create(tenant, new, runtime_of(self._app))
        if made.state != "active":
            raise RuntimeError(f"the connection to {network} is {made.state}: {made.reason}")

    def _consent(self, tenant: str) -> None:
        """A person of a company consents at the authority, as in the browser."""
        runtime, person = (
            runtime_of(self._app),
            Session(tenant, "ann", "ann@example.com", Role.OWNER),
        )
        new = NewConnection(SANDBOX, "ro-efactura", f"RO{company.SELLER}", credentials={})
        made = accounts.create(tenant, new, runtime)
        consent = consents.begin(tenant, made.id, runtime, person)
        (state,) = parse_qs(urlsplit(consent.url).query)["state"]
        authority = self._networks.anaf.authority
        code = authority.consent(f"person of {tenant}", company.SELLER)
        ended = consents.finish(state, consent.browser, code, runtime)
        if ended.connection.state != "active":
            raise RuntimeError(f"the connection is {ended.connection.state}")


def settled(
    plan: Plan, app: Flask, environ: Mapping[str, str], receivers: Receivers, networks: Networks
) -> dict[int, Account]:
    """Migrate the database, and make the tenants; their accounts by their numbers."""
    settler = Settler(app, Settings.from_env(environ), receivers, networks)
    with app.app_context():
        schema_revisions.upgrade()
        for one in plan.tenants:
            settler.settle(one)
    return settler.made
