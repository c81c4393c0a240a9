"""The peer: flask-smorest schemas, Flask-Limiter, SQLAlchemy's ORM and an RQ job per send.

Written as one would write it in a week, without obvious waste: it authenticates, limits, validates
the body, compares the totals, writes UBL, stores once per idempotency key, and delivers in workers
that keep their connection to the network. It has no rules, derivation, leases, fences, artefacts'
digests, webhooks or lists. With PEER_RULES=1 it runs the official XSLT of EN 16931 and Peppol by
SaxonC before it stores.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import requests
from flask import Flask, request
from flask_limiter import Limiter
from flask_smorest import Api, Blueprint, abort
from flask_sqlalchemy import SQLAlchemy
from redis import Redis
from rq import Queue
from sqlalchemy.exc import IntegrityError

from bench.peer.document import invoice_xml
from bench.peer.schemas import SendSchema, SentSchema

CENT = Decimal("0.01")
RULES = os.environ.get("PEER_RULES") == "1"
NETWORK = os.environ["PEER_NETWORK"]

app = Flask(__name__)
app.config.update(
    API_TITLE="peer",
    API_VERSION="1",
    OPENAPI_VERSION="3.0.3",
    SQLALCHEMY_DATABASE_URI=os.environ["PEER_DATABASE"].replace(
        "postgresql://", "postgresql+psycopg://"
    ),
)
db = SQLAlchemy(app)
api = Api(app)
queue = Queue("sends", connection=Redis.from_url(os.environ["PEER_REDIS"]))
limiter = Limiter(
    lambda: request.headers.get("x-api-key", ""),
    app=app,
    storage_uri=f"redis+{os.environ['PEER_REDIS']}",
    strategy="moving-window",
    headers_enabled=True,
)
network = requests.Session()


# -- tables ----------------------------------------------------------------------------------------


class ApiKey(db.Model):
    digest = db.Column(db.String(64), primary_key=True)
    tenant_id = db.Column(db.String(40), nullable=False)


class Invoice(db.Model):
    id = db.Column(db.String(40), primary_key=True)
    tenant_id = db.Column(db.String(40), index=True)
    number = db.Column(db.String(80), index=True)
    idempotency_key = db.Column(db.String(128), unique=True)
    receiver = db.Column(db.String(140), index=True)
    status = db.Column(db.String(12), index=True)
    total = db.Column(db.Numeric)
    body = db.Column(db.JSON)
    document = db.Column(db.LargeBinary)
    created_at = db.Column(db.DateTime(timezone=True), index=True)


class Receipt(db.Model):
    id = db.Column(db.String(40), primary_key=True)
    invoice_id = db.Column(db.ForeignKey("invoice.id"), index=True)
    content = db.Column(db.LargeBinary)


class Event(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    tenant_id = db.Column(db.String(40), index=True)
    invoice_id = db.Column(db.String(40))
    type = db.Column(db.String(40))
    created_at = db.Column(db.DateTime(timezone=True))


# -- sending ---------------------------------------------------------------------------------------

sends = Blueprint("sends", __name__, url_prefix="/api")


@sends.route("/invoices/send", methods=["POST"])
@limiter.limit("1000000 per minute")
@sends.arguments(SendSchema)
@sends.response(200, SentSchema)
def send(data: dict[str, Any]) -> dict[str, str]:
    tenant_id = _authenticated()
    key = request.headers.get("Idempotency-Key")
    known = Invoice.query.filter_by(idempotency_key=key).first() if key else None
    if known is not None:
        return _answer(known.id, known.status)
    net, tax = _totals(data["invoice"])
    document = invoice_xml(data["invoice"], data["routing"], net, tax)
    if RULES:
        _refuse_what_breaks_rules(document)
    invoice = Invoice(
        id=str(uuid.uuid4()),
        tenant_id=tenant_id,
        number=data["invoice"]["number"],
        idempotency_key=key,
        receiver=data["routing"]["receiverParticipantId"],
        status="Processing",
        total=net + tax,
        body=request.get_json(),
        document=document,
        created_at=datetime.now(UTC),
    )
    answer = _answer(invoice.id, invoice.status)
    db.session.add(invoice)
    try:
        db.session.commit()
    except IntegrityError:
        abort(409, message="a request with this key is being processed")
    queue.enqueue(deliver, answer["invoiceId"], result_ttl=0)
    return answer


def _authenticated() -> str:
    digest = hashlib.sha256(request.headers.get("x-api-key", "").encode()).hexdigest()
    key = db.session.get(ApiKey, digest)
    if key is None:
        abort(401)
    return str(key.tenant_id)


def _answer(invoice_id: str, status: str) -> dict[str, str]:
    return {"invoiceId": invoice_id, "status": "success", "networkStatus": status}


def _totals(invoice: dict[str, Any]) -> tuple[Decimal, Decimal]:
    """Net and tax of the lines; 422 if the declared totals differ."""
    nets = [(line["quantity"] * line["unitPrice"]).quantize(CENT) for line in invoice["lineItems"]]
    rates = [line["taxRate"] / 100 for line in invoice["lineItems"]]
    net = sum(nets, Decimal(0))
    tax = sum((n * rate for n, rate in zip(nets, rates, strict=True)), Decimal(0)).quantize(CENT)
    totals = invoice["totals"]
    if (totals["subtotal"], totals["taxAmount"], totals["grandTotal"]) != (net, tax, net + tax):
        abort(422, message="the totals do not add up")
    return net, tax


def _refuse_what_breaks_rules(document: bytes) -> None:
    from tests.oracle import official, sources

    found = official.verdict(document, (sources.CEN_UBL, sources.PEPPOL_UBL))
    fatal = sorted({fired.id for fired in found.fired if fired.flag == "fatal"})
    if fatal:
        abort(422, message="rules are violated", errors={"rules": fatal})


def deliver(invoice_id: str) -> None:
    """The job of a worker: post the document to the network and store its receipt."""
    with app.app_context():
        invoice = db.session.get(Invoice, invoice_id)
        answer = network.post(
            f"{NETWORK}/messages/{invoice.id}",
            data=invoice.document,
            headers={"X-Receiver": invoice.receiver},
            timeout=10,
        )
        answer.raise_for_status()
        invoice.status = "Delivered"
        db.session.add(Receipt(id=str(uuid.uuid4()), invoice_id=invoice.id, content=answer.content))
        db.session.add(
            Event(
                tenant_id=invoice.tenant_id,
                invoice_id=invoice.id,
                type="transaction.sent",
                created_at=datetime.now(UTC),
            )
        )
        db.session.commit()


api.register_blueprint(sends)
