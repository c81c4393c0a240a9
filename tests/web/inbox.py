"""A tenant that receives bills, at the test client."""

from __future__ import annotations

import itertools

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.services.inbound import reception
from einvoice.web.runtime import runtime_of

_values = itertools.count(100_000_000)


class Inbox:
    """A tenant with a participant id, and documents received for it."""

    def __init__(self, caller) -> None:
        self.caller = caller
        self.receiver = ParticipantId("9915", str(next(_values)))  # no check digit
        caller.own(str(self.receiver))

    def arrives(self, **fields) -> str:
        with self.caller.app.app_context():
            inbound = samples.inbound(receiver=self.receiver, **fields)
            parts = runtime_of(self.caller.app)
            return reception.receive(
                inbound, parts.caches, parts.computing, parts.forms
            ).document_id

    def mark(self, bill, data=None, who=None):
        path = f"/api/invoices/{bill}/mark-processed"
        return (who or self.caller).call("POST", path, data=data)

    def ids(self, query) -> list[str]:
        body = self.caller.get(f"/api/invoices?{query}").json
        return [item["invoiceId"] for item in body["items"]]

    def walk(self, query) -> list[str]:
        found, cursor = [], ""
        while True:
            body = self.caller.get(f"/api/invoices?{query}{cursor}").json
            found += [item["invoiceId"] for item in body["items"]]
            if not body["hasMore"]:
                return found
            cursor = f"&cursor={body['nextCursor']}"
