"""The books of the stand-in for an approved platform: companies, tokens, flows, life cycle, hooks.

An invoice is checked when `settle` is called (or at once): then it is acknowledged, its seller gets
200, 202 and 203, and its buyer the invoice. A message of the life cycle goes on to the other party.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from einvoice import clock
from einvoice.xml import NotXml, parse
from tests.networks.fr import messages
from tests.networks.stand_ins import Answer

Judge = Callable[[bytes], list[str]]
STEPS = ("200", "202", "203")


@dataclass
class Company:
    """A company of the platform: the account by which it is known here, and its hooks."""

    siren: str
    name: str
    client: tuple[str, str]
    hooks: list[dict[str, str]] = field(default_factory=list)


@dataclass
class Flow:
    """A flow of one company."""

    id: str
    owner: str
    direction: str
    type: str
    syntax: str
    name: str
    content: bytes
    updated: datetime
    submitted: datetime
    tracking_id: str = ""
    rule: str = "B2B"
    profile: str = "CIUS"
    status: str = "Pending"
    details: list[dict[str, str]] = field(default_factory=list)
    given_sha: str = ""
    position: int = 0

    def as_json(self) -> dict[str, object]:
        told: dict[str, object] = {"status": self.status}
        if self.details:
            told["details"] = self.details
        values: dict[str, object] = {
            "flowId": self.id,
            "submittedAt": _text(self.submitted),
            "updatedAt": _text(self.updated),
            "name": self.name,
            "flowSyntax": self.syntax,
            "flowProfile": self.profile,
            "flowType": self.type,
            "flowDirection": self.direction,
            "processingRule": self.rule,
            "processingRuleSource": "Input",
            "acknowledgement": told,
        }
        return values | ({"trackingId": self.tracking_id} if self.tracking_id else {})


class Platform:
    """The platform. `at_once`: whether a flow is checked as soon as it is there."""

    def __init__(self, judge: Judge | None = None, *, at_once: bool = True) -> None:
        self.judge, self.at_once = judge or (lambda _: []), at_once
        self.steps: tuple[str, ...] = STEPS
        self.lock = threading.RLock()
        self.companies: dict[str, Company] = {}
        self.tokens: dict[str, tuple[str, datetime]] = {}
        self.token_seconds = 3600
        self.flows: dict[str, Flow] = {}
        self.moved = timedelta(0)
        self.refuses_cursors = self.is_old = False
        self.on_change: Callable[[Company, Flow], None] = lambda company, flow: None
        self._last: datetime | None = None
        self._taken: dict[tuple[object, ...], str] = {}  # what identifies a flow that was taken

    # -- time, companies ---------------------------------------------------------------------------

    def now(self) -> datetime:
        """The time of a change: each is later than the one before, by a millisecond at least."""
        now = clock.now().astimezone(UTC) + self.moved
        if self._last is not None and now <= self._last:
            now = self._last + timedelta(milliseconds=1)
        self._last = now
        return now

    def pass_time(self, **given: float) -> None:
        self.moved += timedelta(**given)

    def company(self, siren: str, name: str) -> Company:
        """A new company, with its credentials."""
        made = Company(siren, name, (f"client-{siren}", f"secret-of-{siren}"))
        self.companies[siren] = made
        return made

    def token(self, form: dict[str, str]) -> Answer:
        """The token endpoint (client credentials)."""
        given = form.get("client_id", ""), form.get("client_secret", "")
        owner = next((c for c in self.companies.values() if c.client == given), None)
        if form.get("grant_type") != "client_credentials":
            return _json(400, {"error": "unsupported_grant_type"})
        if owner is None:
            return _json(401, {"error": "invalid_client", "error_description": "unknown client"})
        token = secrets.token_urlsafe(16)
        self.tokens[token] = owner.siren, clock.now() + timedelta(seconds=self.token_seconds)
        told = {"access_token": token, "token_type": "Bearer", "expires_in": self.token_seconds}
        return _json(200, told)

    def owner_of(self, token: str) -> Company | None:
        siren, ends = self.tokens.get(token, ("", clock.now()))
        return self.companies.get(siren) if ends > clock.now() else None

    # -- flows -------------------------------------------------------------------------------------

    def submit(self, owner: Company, info: dict[str, str], content: bytes) -> Answer:
        """Take a file."""
        with self.lock:
            now = self.now()
            is_message = info["flowSyntax"] in _TYPES
            flow = Flow(
                secrets.token_hex(8),
                owner.siren,
                "Out",
                "Undefined",
                info["flowSyntax"],
                info["name"],
                content,
                now,
                now,
                info.get("trackingId", ""),
                info.get("processingRule", "NotApplicable" if is_message else "Undefined"),
                info.get("flowProfile", "Undefined"),
                given_sha=info.get("sha256", ""),
                position=len(self.flows),
            )
            self.flows[flow.id] = flow
            told = {
                "flowId": flow.id,
                "submittedAt": _text(now),
                "sha256": sha256(content).hexdigest(),
            } | {name: info[name] for name in _ECHOED if name in info}
            if self.at_once:
                self._check(flow)
            return _json(202, told)

    def settle(self) -> None:
        """Check the flows that wait."""
        with self.lock:
            for flow in list(self.flows.values()):
                if flow.status == "Pending":
                    self._check(flow)

    def search(self, owner: Company, asked: dict[str, object]) -> Answer:
        where = asked.get("where")
        if not isinstance(where, dict) or not where:
            return fault(400, "MISSING_REQUIRED_FIELD", "at least one criterion")
        cursor = asked.get("cursor")
        if cursor and self.refuses_cursors:
            return fault(400, "INVALID_CURSOR", "the cursor has ended")
        limit = int(str(asked.get("limit", 25)))
        with self.lock:
            after = where.get("updatedAfter")
            since = datetime.fromisoformat(str(after)) if after else None
            found = [
                each
                for each in self.flows.values()
                if (since is None or each.updated > since) and _fits(each, owner, where)
            ]
        found.sort(key=lambda each: (each.updated, each.position))
        start = int(str(cursor)) if cursor else 0
        page = found[start : start + limit]
        told: dict[str, object] = {"limit": limit, "filters": where,
                                   "results": [self._shown(each) for each in page]}  # fmt: skip
        if start + limit < len(found) and not self.is_old:
            told["nextCursor"] = str(start + limit)
        return _json(200, told)

    def flow(self, owner: Company, flow_id: str, kind: str) -> Answer:
        flow = self.flows.get(flow_id)
        if flow is None or flow.owner != owner.siren:
            return fault(404, "MISSING_RESOURCE", "there is no such flow")
        if kind == "Metadata":
            return _json(200, self._shown(flow))
        if kind != "Original":
            return fault(404, "MISSING_RESOURCE", f"there is no {kind}")
        return Answer(200, flow.content, "application/octet-stream")

    def _shown(self, flow: Flow) -> dict[str, object]:
        """A flow as it is listed; of an old platform without the fields of later versions."""
        values = flow.as_json()
        if self.is_old:
            for name in ("flowProfile", "processingRule", "processingRuleSource"):
                values.pop(name)
        return values

    # -- the check ---------------------------------------------------------------------------------

    def _check(self, flow: Flow) -> None:
        """Acknowledge a flow, and do what follows."""
        errors = self._errors(flow)
        if not errors:
            self._taken |= dict.fromkeys(_marks_of(flow), flow.id)
        flow.status, flow.details = ("Error", errors) if errors else ("Ok", [])
        flow.type = _TYPES.get(flow.syntax, "CustomerInvoice")
        self._changed(flow)
        if errors or flow.syntax == "FRR":
            return
        if flow.syntax != "CDAR":
            self._deliver(flow)
        else:
            self._pass_on(flow)

    def _errors(self, flow: Flow) -> list[dict[str, str]]:
        digest = sha256(flow.content).hexdigest()
        if flow.given_sha and flow.given_sha != digest:
            return [_error("ChecksumMismatch", "the checksum is of another file")]
        if self._taken.keys() & _marks_of(flow):
            return [_error("AlreadyExistingFlow", "the flow was received before")]
        try:
            if flow.syntax in ("UBL", "CII", "CDAR", "FRR"):
                parse(flow.content)
        except NotXml as refused:
            return [_error("InvalidSchema", str(refused)[:100])]
        return [_error("OtherTechnicalError", words) for words in self.judge(flow.content)]

    def _deliver(self, flow: Flow) -> None:
        """Hand an invoice to its buyer, and tell its seller how far it has come."""
        head = messages.head_of(flow.content)
        if flow.rule not in ("B2B", "B2G", "Undefined"):
            return
        for code in self.steps:
            self.tell(flow.owner, "CustomerInvoiceLC", messages.status(head, code, self.now()))
        if head.buyer in self.companies and self.steps:
            self.arrive(head.buyer, "SupplierInvoice", flow.syntax, flow.name, flow.content)

    def _pass_on(self, flow: Flow) -> None:
        """Hand the message of one party to the other one."""
        to, is_sale = messages.other_party(flow.content)
        if to in self.companies:
            self.tell(to, "CustomerInvoiceLC" if is_sale else "SupplierInvoiceLC", flow.content)

    def tell(self, siren: str, kind: str, message: bytes) -> Flow:
        """Give a company a message of the life cycle."""
        return self.arrive(siren, kind, "CDAR", "life-cycle.xml", message)

    def arrive(self, siren: str, kind: str, syntax: str, name: str, content: bytes) -> Flow:
        """Give a company a flow."""
        with self.lock:
            now = self.now()
            rule = "NotApplicable" if syntax == "CDAR" else "B2B"
            flow = Flow(secrets.token_hex(8), siren, "In", kind, syntax, name, content, now, now,
                        rule=rule, status="Ok", position=len(self.flows))  # fmt: skip
            self.flows[flow.id] = flow
            self._changed(flow)
            return flow

    def _changed(self, flow: Flow) -> None:
        flow.updated = self.now()
        self.on_change(self.companies[flow.owner], flow)

    # -- web-hooks ---------------------------------------------------------------------------------

    def hooks(self, owner: Company) -> Answer:
        told = {"count": len(owner.hooks), "webhookIds": [e["webhookId"] for e in owner.hooks],
                "webhooks": owner.hooks}  # fmt: skip
        return _json(200, told)

    def remove_hook(self, owner: Company, number: str) -> Answer:
        left = [each for each in owner.hooks if each["webhookId"] != number]
        if len(left) == len(owner.hooks):
            return fault(404, "MISSING_RESOURCE", "there is no such web-hook")
        owner.hooks[:] = left
        return Answer(204)

    def add_hook(self, owner: Company, asked: dict[str, str]) -> Answer:
        made = {
            "webhookId": f"{secrets.token_hex(4)}-0000-4000-8000-{secrets.token_hex(6)}",
            "signingKey": "c2lnbmluZy1rZXktb2YtdGhlLXN0YW5kLWlu",
            "createdAt": _text(self.now()),
        }
        owner.hooks.append(made | {"callbackUrl": asked["callbackUrl"]})
        return _json(201, made)


_TYPES = {"CDAR": "SupplierInvoiceLC", "FRR": "MultiFlowReport"}
_ECHOED = ("trackingId", "name", "processingRule", "flowSyntax", "flowProfile")


def _fits(flow: Flow, owner: Company, where: dict[str, object]) -> bool:
    return (
        flow.owner == owner.siren
        and ("trackingId" not in where or flow.tracking_id == where["trackingId"])
        and _among(flow.direction, where.get("flowDirection"))
        and _among(flow.type, where.get("flowType"))
        and where.get("ackStatus", flow.status) == flow.status
    )


def _marks_of(flow: Flow) -> set[tuple[object, ...]]:
    """By what the platform knows a submitted flow again: its tracking id, and its invoice."""
    key = None if flow.syntax in _TYPES else messages.key_of(flow.content)
    marks: set[tuple[object, ...]] = {(flow.owner, flow.tracking_id)} if flow.tracking_id else set()
    return marks | ({(flow.owner, *key)} if key else set())


def _among(value: str, listed: object) -> bool:
    return not isinstance(listed, list) or value in listed


def _error(code: str, message: str) -> dict[str, str]:
    return {"level": "Error", "item": "file", "reasonCode": code, "reasonMessage": message}


def fault(status: int, code: str, message: str) -> Answer:
    return _json(status, {"errorCode": code, "errorMessage": message})


def _json(status: int, values: object) -> Answer:
    return Answer(status, json.dumps(values).encode())


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
