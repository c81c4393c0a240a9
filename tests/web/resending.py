"""A caller with an invoice that failed, to be sent again."""

from __future__ import annotations

from tests.web.caller import ASYNC

REJECTING = "0088:9520000000059"  # rejects at once, for good


class Again:
    """A caller with an invoice that failed."""

    def __init__(self, caller) -> None:
        self.caller = caller
        self.invoice = caller.sent(REJECTING)
        caller.work()

    def resend(self, invoice=None, prefer=ASYNC, data=None, **headers):
        path = f"/api/invoices/{invoice or self.invoice}/resend"
        return self.caller.call("POST", path, data, Prefer=prefer, **headers)

    def current(self):
        return self.caller.get(f"/api/invoices/{self.invoice}").json
