"""The request to send: who asks, with which body and key, and how long the caller waits."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from einvoice.domain.trace import Trace
from einvoice.services.principal import Principal
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.invoices.drafts import DraftMark
from einvoice.validation import DEFAULT_LANGUAGE

# All send routes share one space of idempotency keys; /v1/invoices has another, and so have the
# pages of the dashboard (services/invoices/drafts; decisions 19.4).
SEND_SPACE = "send"
V1_SPACE = "v1"


@dataclass(frozen=True, slots=True)
class SendCommand:
    """One request to send.

    body           what the idempotency key stands for
    wait           seconds to wait for the network
    until_settled  wait for the final outcome instead of the first one
    language       of the findings in the answer; those that are stored need none
    trace          of the request
    draft          that holds the invoice; sending it deletes the draft
    """

    body: bytes
    principal: Principal
    key: str | None
    wait: float
    space: str = SEND_SPACE
    until_settled: bool = False
    language: str = DEFAULT_LANGUAGE
    trace: Trace | None = None
    draft: DraftMark | None = None

    @property
    def scope(self) -> KeyScope | None:
        """The key with what it is unique in; None without a key."""
        if self.key is None:
            return None
        principal = self.principal
        return KeyScope(principal.tenant_id, principal.environment.value, self.space, self.key)

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.body).hexdigest()
