"""A tenant with one object of every kind in one environment, and a dump of its rows."""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
from flask import Flask
from werkzeug.test import TestResponse

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import tenants
from einvoice.services.tenant_data import export_jobs, tenant_export
from einvoice.store.core import db
from einvoice.store.tables import Connection, ConnectionLink, MailDomain, PeriodReport
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.web import holding
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.platform import Platform

Ask = Callable[[str, str, Any], TestResponse]


# An object of an Owner → the platform's own of the same kind.
TWINS: dict[str, str] = {}


class Owner:
    """A tenant with one object for every path parameter, in one environment."""

    def __init__(
        self, service: Flask, environment: Environment = Environment.TEST, tenant: str | None = None
    ) -> None:
        self.environment = environment
        self.caller = Caller(service, environment, tenant, scopes=SCOPES)
        self.person = Dashboard(service, self.caller.tenant)
        self.platform = _platform_of(service, environment, self.caller.tenant)
        self.ids: dict[str, str] = {}
        for name, make in MADE.items():
            self.ids[name] = make(self)
        self._make_twins()

    def _make_twins(self) -> None:
        """A webhook of the platform, with a delivery of an event of the platform."""
        path = "/api/platform/webhooks"
        webhook = self.platform.post(path, {"url": "https://receiver.example/hook"})
        path = f"{path}/{webhook.json['webhookId']}"
        delivery = self.platform.post(f"{path}/test").json
        TWINS[self.ids["webhook_id"]] = webhook.json["webhookId"]
        TWINS[self.ids["delivery_id"]] = delivery["deliveryId"]
        TWINS[self.ids["event_id"]] = delivery["eventId"]

    def made(self, path: str, named: str, /, **body: Any) -> str:
        """The id of what a POST makes."""
        answer = self.person.post(path, body)
        assert answer.status_code in {200, 201, 202}, answer.text
        found: str = answer.json[named]
        return found

    def made_here(self, path: str, named: str, /, **body: Any) -> str:
        """The id of what a POST makes in the environment."""
        return self.made(path, named, environment=self.environment.value, **body)

    def invoice(self) -> str:
        """One that was sent; in the live environment there is no network, so it is stored only."""
        if self.environment is Environment.TEST:
            return self.caller.sent()
        with self.person.app.app_context():
            return accepted(self.caller.tenant, environment="live").invoice_id

    def batch(self) -> str:
        body = {"invoices": [{}]}
        bearer = partial(by_key, self.caller, "Authorization", "Bearer {}")
        return str(bearer("POST", "/v1/invoices/batch", body).json["batchId"])

    def participant(self) -> str:
        """An id of its own."""
        participant = f"0088:{secrets.randbelow(10**13):013}"
        self.caller.own(participant)
        return participant

    def connection(self) -> str:
        """A connection to a network that is not installed here: it can be read, not checked."""
        connection_id = str(uuid.uuid4())
        with self.person.app.app_context(), db.writing_session() as database:
            database.add(
                Connection(
                    id=connection_id, tenant_id=self.person.tenant, access_point="toll-test",
                    environment=self.environment.value, network="toll", account="1", name="1",
                    state="active", version=1, created_at=clock.now(), updated_at=clock.now(),
                )
            )  # fmt: skip
        return connection_id

    def link(self) -> str:
        """A connection link to that network."""
        link_id, now = str(uuid.uuid4()), clock.now()
        with self.person.app.app_context(), db.writing_session() as database:
            database.add(
                ConnectionLink(
                    id=link_id, tenant_id=self.person.tenant, access_point="toll-test",
                    environment=self.environment.value, network="toll", account="1", name="1",
                    digest=link_id, attempts=0, created_at=now, expires_at=now + timedelta(days=1),
                )
            )  # fmt: skip
        return link_id

    def period_report(self) -> str:
        """One that was sent and refused."""
        report_id, now = str(uuid.uuid4()), clock.now()
        with self.person.app.app_context(), db.writing_session() as database:
            database.add(
                PeriodReport(
                    id=report_id, tenant_id=self.person.tenant, access_point="toll-test",
                    environment=self.environment.value, connection_id=self.ids["connection_id"],
                    account="1", kind="sales", starts_on=date(2026, 11, 1), due_on=now.date(),
                    ends_on=date(2026, 11, 10), number=0, corrects=False, sha256="", documents=1,
                    left_out=[], document=b"<Report/>", message_id="msg_0", outcome="refused",
                    reason="no", again=False, created_at=now, updated_at=now,
                )
            )  # fmt: skip
        return report_id

    def mail_address(self) -> str:
        """An address for bills, whose plugin is not installed here."""
        connection_id, now = str(uuid.uuid4()), clock.now()
        with self.person.app.app_context(), db.writing_session() as database:
            database.add(
                Connection(
                    id=connection_id, tenant_id=self.person.tenant, access_point="mail-in-test",
                    environment=self.environment.value, network="mail", account=connection_id,
                    name="1", state="active", version=1, created_at=now, updated_at=now,
                )
            )  # fmt: skip
        return connection_id

    def held_address(self) -> str:
        """An address of a buyer that gets no mail of the tenant."""
        points = runtime_of(self.person.app).access_points
        return holding.held(points, self.person.tenant, self.environment)

    def mail_domain(self) -> str:
        """A domain from which mails are sent."""
        domain_id = str(uuid.uuid4())
        with self.person.app.app_context(), db.writing_session() as database:
            database.add(
                MailDomain(
                    id=domain_id, tenant_id=self.person.tenant, domain=f"{domain_id[:8]}.example",
                    token="t", selector="s", dkim_key=b"", public_key="p", state="pending",
                    records={}, created_at=clock.now(),
                )
            )  # fmt: skip
        return domain_id

    def export(self) -> str:
        """One whose file can be downloaded."""
        export_id = self.made("/api/tenant/exports", "exportId")
        settings = runtime_of(self.person.app).settings
        path = settings.export_path / f"{export_id}.zip"
        path.parent.mkdir(exist_ok=True)
        with self.person.app.app_context():
            export = export_jobs.get(self.person.tenant, export_id)
            tenant_export.run(export, path, settings, lambda *_: None, kept=export_jobs.KEPT)
        return export_id

    def event(self) -> str:
        path = f"/api/webhooks/{self.ids['webhook_id']}/deliveries"
        return str(self.person.get(path).json["items"][0]["eventId"])

    def artefact(self) -> str:
        items = self.caller.get(f"/api/invoices/{self.ids['invoice_id']}/artefacts").json["items"]
        return str(items[0]["artefactId"])


def _transaction(owner: Owner) -> str:
    item = owner.caller.get(f"/api/invoices/{owner.ids['invoice_id']}").json
    return str(item["transactionId"])


# Name in a path → how its owner comes by one. A route with another name fails the tests of
# isolation.
MADE: dict[str, Callable[[Owner], str]] = {
    "invoice_id": Owner.invoice,
    "artefact_id": Owner.artefact,
    "transaction_id": _transaction,
    "key_id": lambda owner: owner.made_here("/api/keys", "keyId", name="k"),
    "webhook_id": lambda owner: owner.made_here(
        "/api/webhooks", "webhookId", url="https://receiver.example/hook"
    ),
    "delivery_id": lambda owner: owner.made(
        f"/api/webhooks/{owner.ids['webhook_id']}/test", "deliveryId"
    ),
    "event_id": Owner.event,
    "client_id": lambda owner: owner.made_here("/api/oauth-clients", "clientId", name="ERP"),
    "connection_id": Owner.connection,
    "link_id": Owner.link,
    "mail_domain_id": Owner.mail_domain,
    "mail_address_id": Owner.mail_address,
    "held_address_id": Owner.held_address,
    "customer_id": lambda owner: owner.made("/api/customers", "customerId", name="Buyer BV"),
    "supplier_id": lambda owner: owner.made(
        "/api/suppliers", "supplierId", name="Seller NV", countryCode="BE"
    ),
    "batch_id": Owner.batch,
    "environment": lambda owner: owner.environment.value,
    "participant_id": Owner.participant,
    "export_id": Owner.export,
    "tenant": lambda owner: owner.caller.tenant,
    "draft_id": lambda owner: owner.made_here("/api/drafts", "draftId"),
    "report_id": Owner.period_report,
    "hold_id": lambda owner: owner.made(
        "/api/holds", "holdId", reason="lawsuit", invoiceId=owner.ids["invoice_id"]
    ),
}


def by_key(
    caller: Caller, header: str, form: str, method: str, path: str, body: Any
) -> TestResponse:
    """Call with the caller's key, in the header of the route."""
    headers = {header: form.format(caller.key), "X-Request-Id": "one"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body)
    return caller.client.open(path, method=method, data=data, headers=headers)


def by_platform(
    platform: Platform, tenant: str | None, method: str, path: str, body: Any
) -> TestResponse:
    """Call with the platform's key, for the tenant if there is one."""
    return platform.call(method, path, body, tenant, X_Request_Id="one")


def _platform_of(service: Flask, environment: Environment, tenant: str) -> Platform:
    """A platform that owns the tenant, with a key of the environment."""
    with service.app_context():
        owner = tenants.get(tenant).platform_id
    made = Platform(service, environment, owner)
    if owner is None:
        with service.app_context():
            tenants.give_to(made.id, tenant, f"c-{tenant}")
    return made


def by_person(person: Dashboard, method: str, path: str, body: Any) -> TestResponse:
    return person.call(method, path, body, X_Request_Id="one")


# -- rows ------------------------------------------------------------------------------------------

# Columns by which rows of other tables belong to one with a tenant_id.
_PARENTS = {
    "attempts": ("transmission_id", "transmissions"),
    "batch_items": ("batch_id", "batches"),
    "submissions": ("invoice_id", "invoices"),
    "archive_later": ("invoice_id", "invoices"),
}
# What authentication changes: when a key was last used, and from where.
_OF_USE = frozenset({"last_used_at", "last_used_ip"})


def rows_of(service: Flask, tenant: str) -> dict[str, list[str]]:
    """All rows of a tenant, by table."""
    with service.app_context(), db.reading() as connection:
        return {
            query.get_final_froms()[0].name: sorted(map(repr, connection.execute(query)))
            for query in _queries(tenant)
        }


def _queries(tenant: str) -> Iterator[sa.Select[Any]]:
    tables = db.Base.metadata.tables
    for table in tables.values():
        columns = [column for column in table.columns if column.name not in _OF_USE]
        if table.name == "tenants":
            yield sa.select(*columns).where(table.c.id == tenant)
        elif "tenant_id" in table.c:
            yield sa.select(*columns).where(table.c.tenant_id == tenant)
        elif table.name in _PARENTS:
            column, parent = _PARENTS[table.name]
            own = sa.select(tables[parent].c.id).where(tables[parent].c.tenant_id == tenant)
            yield sa.select(*columns).where(table.c[column].in_(own))
