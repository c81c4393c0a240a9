"""An account with data as in daily life: `einvoice demo --fill`, and the pictures of the pages.

Sixty invoices of twelve weeks to customers with long names in six currencies, of which some failed,
were rejected by their buyer, wait or are paid; bills of several suppliers; drafts; a webhook that
is down. All of it goes through the routes of the API, as programs would send it, with the clock of
this process at the moment of each.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from flask import Flask

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.types import SimulatesArrivals
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import credentials, tenants
from einvoice.services.delivery import transmit
from einvoice.services.directory import seed
from einvoice.services.inbound import reception
from einvoice.services.webhooks import deliveries, endpoints
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of

INVOICES, BILLS, DRAFTS = 60, 15, 4
_DOWN_SINCE = 2  # the invoice with which the webhook begins to fail
SELLER = ParticipantId("0208", "0123456749")
DOWN = "http://127.0.0.1:65530/erp/invoices"  # nothing listens there
_CENT = Decimal("0.01")
_LEASE = timedelta(seconds=60)


class NotFilled(Exception):
    """A route refused what the demo sends. The message has its answer."""


@dataclass(frozen=True, slots=True)
class _Company:
    """A customer or supplier."""

    name: str
    country: str
    city: str
    currency: str = "EUR"


CUSTOMERS = (
    _Company("Bäckerei Maximilian Oberhuber-Hinterleitner & Söhne GmbH & Co. KG", "DE", "München"),
    _Company("Alpha Bouw BV", "BE", "Gent"),
    _Company("Société de Distribution Alimentaire du Nord SAS", "FR", "Lille"),
    _Company("Acme Widgets Ltd", "GB", "Leeds", "GBP"),
    _Company("Van der Meer Bouw & Onderhoud BV", "NL", "Utrecht"),
    _Company("Żółw i Synowie Sp. z o.o.", "PL", "Łódź", "PLN"),
    _Company("Café Central", "AT", "Wien"),
    _Company("Nordiska Trävaruhandeln AB", "SE", "Umeå", "SEK"),
    _Company("Studio Blu di Rossi Maria & C. S.n.c.", "IT", "Bologna"),
    _Company("US Imports Inc.", "US", "Boston", "USD"),
    _Company("Cooperativa Agrícola San Isidro Labrador de Villanueva SCCL", "ES", "Badajoz"),
    _Company("Norsk Fiskeeksport AS", "NO", "Bergen", "NOK"),
)  # fmt: skip
SUPPLIERS = (
    _Company("Kantoorbenodigdheden De Gulden Pen NV", "BE", "Antwerpen"),
    _Company("Stroom & Gas Energieleveringen NV", "BE", "Brussel"),
    _Company("Papierfabrik Steinbach AG", "DE", "Köln"),
    _Company("Telecom West BV", "NL", "Breda"),
    _Company("Nettoyage Industriel Dupont SPRL", "BE", "Liège"),
)
# Receivers of the simulated network by the number of the invoice from the end; others deliver.
_BEHAVIOURS: Mapping[int, str] = {
    1: "0088:9520000000028",  # in progress
    2: "0088:9520000000103",  # rejected by the buyer
    4: "0088:9520000000042",  # refused by its access point
    7: "0088:9520000000110",  # accepted
    9: "0088:9520000000035",  # cannot be reached
    12: "0088:9520000000226",  # paid
    16: "0088:9520000000202",  # in process
    19: "0088:9520000000110",
    23: "0088:9520000000226",
    31: "0088:9520000000042",
    38: "0088:9520000000226",
}
_WORK = (
    ("Consulting, workshop on site", Decimal(950), 21),
    ("Software licence, per seat and month", Decimal("49.90"), 21),
    ("Maintenance of the cooling system, including travel and small parts", Decimal("1249.99"), 21),
    ("Technical book", Decimal("38.50"), 6),
    ("Transport", Decimal(75), 21),
)


def fill(app: Flask, tenant: str, now: datetime) -> None:
    """Fill a tenant whose newest document is of `now`. Raises NotFilled."""
    with app.app_context():
        _Account(app, tenant).live(now)


class _Account:
    """The tenant, by a key of its own, and its suppliers."""

    def __init__(self, app: Flask, tenant: str) -> None:
        self._app, self._client, self._tenant = app, app.test_client(), tenant
        self._runtime = runtime_of(app)
        self._key = self._new_key(tenant)
        self._suppliers = tenants.create("Suppliers of the demo")
        self._their_key = self._new_key(self._suppliers)
        with suppress(Conflict):  # another account of the demo has it
            tenants.own_participant(tenant, Environment.TEST, SELLER)

    def live(self, now: datetime) -> None:
        """Let twelve weeks pass until now."""
        moments = [now - timedelta(hours=33 * number + 1) for number in range(INVOICES)]
        bills = [now - timedelta(hours=90 * number + 2) for number in range(BILLS)]
        for number in reversed(range(INVOICES)):
            with clock.standing_at(moments[number]):
                if number == _DOWN_SINCE:
                    self._add_webhook()
                self._send(number)
            self._work(moments[number])
        for number in reversed(range(BILLS)):
            with clock.standing_at(bills[number]):
                self._receive(number)
            self._work(bills[number])
        with clock.standing_at(now):
            self._drafts()
            seed.seed(CUSTOMER, self._tenant)
            self._post_webhooks()

    def _new_key(self, tenant: str) -> str:
        made = credentials.create(API_KEY, tenant, "fill", Environment.TEST, scopes=SCOPES)
        credentials.limit(API_KEY, tenant, made.record.id, get=100_000, post=100_000)
        return made.secret

    def _call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        answer = self._client.open(
            path, method=method, data=None if body is None else json.dumps(body),
            content_type="application/json" if body is not None else None, headers={
                "x-api-key": key or self._key, "Prefer": "respond-async",
                "Idempotency-Key": str(uuid.uuid4()),
            },
        )  # fmt: skip
        if answer.status_code >= 300:
            raise NotFilled(f"{method} {path}: {answer.status_code} {answer.text[:1000]}")
        return answer.json

    def _send(self, number: int) -> None:
        customer = CUSTOMERS[number * 7 % len(CUSTOMERS)]
        receiver = _BEHAVIOURS.get(number, "0088:9520000000004")
        invoice = _invoice(f"2026-{1000 + INVOICES - number}", _seller(), _buyer(customer), number,
                           customer.currency)  # fmt: skip
        self._call("POST", "/api/invoices/send", self._routed(invoice, receiver, self._key))

    def _routed(self, invoice: Mapping[str, Any], receiver: str, key: str) -> dict[str, Any]:
        path = f"/api/participants/lookup?participantId={receiver}"
        reference = self._call("GET", path, key=key)["accessPointRef"]
        routing = {
            "senderParticipantId": str(SELLER), "receiverParticipantId": receiver,
            "accessPointRef": reference,
        }  # fmt: skip
        return {"invoice": invoice, "routing": routing}

    def _receive(self, number: int) -> None:
        """A bill, whose document a send of the supplier would have."""
        supplier = SUPPLIERS[number % len(SUPPLIERS)]
        invoice = _invoice(f"R{number * 37 + 4021}", _supplier(supplier), _own(), number + 3, "EUR")
        body = self._routed(invoice, "0088:9520000000004", self._their_key)
        sent = self._call("POST", "/api/invoices/send", body, self._their_key)["invoiceId"]
        listed = self._call("GET", f"/api/invoices/{sent}/artefacts", key=self._their_key)["items"]
        ubl = next(each["artefactId"] for each in listed if each["type"] == "UBL")
        document = self._client.get(
            f"/api/invoices/{sent}/artefacts/{ubl}", headers={"x-api-key": self._their_key}
        ).data
        parts = self._runtime
        simulator = next(
            each for each in parts.access_points if isinstance(each, SimulatesArrivals)
        )
        inbound = samples.inbound(
            access_point=simulator.name,  # which takes responses to them
            sender=ParticipantId("0208", "0403019261"), receiver=SELLER, document=document,
        )  # fmt: skip
        received = reception.receive(inbound, parts.caches, parts.computing, parts.forms)
        bill = getattr(received, "document_id", None)
        if number > 6 and bill:
            self._call("POST", f"/api/invoices/{bill}/mark-processed")

    def _drafts(self) -> None:
        for number in range(DRAFTS):
            customer = CUSTOMERS[number]
            body = _invoice(f"2026-{1061 + number}", _seller(), _buyer(customer), number, "EUR")
            self._call("POST", "/api/drafts", {"invoice": body})

    def _add_webhook(self) -> None:
        """A webhook whose deliveries fail."""
        endpoints.create(
            self._tenant, Environment.TEST, url=DOWN, description="ERP",
            settings=self._runtime.settings,
        )  # fmt: skip

    def _post_webhooks(self) -> None:
        deliveries.deliver(*_claimed(outbox.WEBHOOKS, self._tenant), self._runtime.settings)

    def _work(self, moment: datetime) -> None:
        """Do the work of relay and workers in the seconds after a send."""
        for seconds in (0, 3, 6):
            with clock.standing_at(moment + timedelta(seconds=seconds)):
                for tenant in (self._tenant, self._suppliers):
                    for lane in (outbox.WAITED, outbox.BULK, outbox.CHORES):
                        transmit.advance(*_claimed(lane, tenant), self._runtime)
                self._post_webhooks()


def _claimed(lane: str, tenant: str) -> tuple[Sequence[int], str]:
    token = uuid.uuid4().hex
    found = outbox.claim(lane, tenant, 100, token=token, now=clock.now(), lease=_LEASE)
    return [row.id for row in found], token


def _invoice(number: str, seller: Any, buyer: Any, nth: int, currency: str) -> dict[str, Any]:
    """An invoice of one to three lines, of today, due in 30 days."""
    lines, net, tax = [], Decimal(0), Decimal(0)
    for each in range(1 + nth % 3):
        description, price, rate = _WORK[(nth + 2 * each) % len(_WORK)]
        quantity = Decimal(1 + (nth * 5 + each * 3) % 12)
        amount = quantity * price
        net, tax = net + amount, tax + (amount * rate / 100).quantize(_CENT, ROUND_HALF_UP)
        lines.append({
            "description": description, "quantity": int(quantity), "unitPrice": float(price),
            "taxRate": rate,
        })  # fmt: skip
    today = clock.today()
    return {
        "number": number,
        "issueDate": today.isoformat(),
        "dueDate": (today + timedelta(days=30)).isoformat(),
        "currency": currency,
        "buyerReference": f"PO-{4700 + nth}",
        "supplier": seller,
        "buyer": buyer,
        "lineItems": lines,
        "totals": {
            "subtotal": float(net),
            "taxAmount": float(tax),
            "grandTotal": float(net + tax),
        },
    }


def _address(company: _Company) -> dict[str, str]:
    return {"line1": "Main Street 2", "city": company.city, "postalCode": "1000",
            "countryCode": company.country}  # fmt: skip


def _buyer(customer: _Company) -> dict[str, Any]:
    return {"name": customer.name, "address": _address(customer)}


def _supplier(company: _Company) -> dict[str, Any]:
    return {"name": company.name, "taxId": "BE0403019261", "companyId": "0403019261",
            "address": _address(company)}  # fmt: skip


def _seller() -> dict[str, Any]:
    return {
        "name": "Demo NV", "taxId": "BE0123456749", "companyId": "0123456749",
        "address": _address(_Company("", "BE", "Bruxelles")),
    }  # fmt: skip


def _own() -> dict[str, Any]:
    return _seller()
