"""Client of the e-invoicing service einvoice; docs/clients.md shows its use."""

from einvoice_client.client import Client
from einvoice_client.problems import (
    Conflict,
    EinvoiceError,
    InvalidRequest,
    NetworkFailed,
    NoAnswer,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    Problem,
    RateLimited,
    Unavailable,
    UnexpectedAnswer,
)
from einvoice_client.webhooks import NotAuthentic, verify

__all__ = [
    "Client",
    "Conflict",
    "EinvoiceError",
    "InvalidRequest",
    "NetworkFailed",
    "NoAnswer",
    "NotAllowed",
    "NotAuthentic",
    "NotAuthenticated",
    "NotFound",
    "Problem",
    "RateLimited",
    "Unavailable",
    "UnexpectedAnswer",
    "verify",
]
