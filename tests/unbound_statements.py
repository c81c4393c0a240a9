"""The functions whose statements may reach rows of all tenants within a request, and why.

What a request asks for by an id is found with its tenant; a function is listed here only if its ids
cannot be chosen by who asks. Statements outside of requests, of workers and operators, are for all
tenants: they are about rows that were claimed, or are swept by their age.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import has_request_context

_SECRET = "finds who asks, by the digest of a secret or by an id that goes with one"
_SESSION = "is about the session of the request, which was found by its secret"
_CLAIMED = "is about the row whose lease or fence the request holds"
_FOUND = "is about rows that the same request has found with their tenant"
_SEND = "is about the transmission of this very send, or of the one with its key"
_NO_ROW = "returns a time or a position for all tenants, and nothing of a row"
_MESSAGE = "is about a message of the sandbox, whose id contains the tenant of the request"
_OWNER = "finds the tenant of a document that an access point hands over"

_PLACES: Mapping[str, tuple[str, ...]] = {
    _SECRET: (
        "account.credentials.digests",
        "account.credentials.find_live_client",
        "account.credentials.find_live_key",
        "account.credentials.note_use",
        "account.credentials.owner_of_key",
        "account.letters.of_digest",
        "account.web_sessions.find",
        "connections.connections.take_consent",
        "connections.links.find_open",
        "invoices.shares.find_shared",
    ),
    _SESSION: (
        "account.web_sessions.change",
        "account.web_sessions.claim_refresh",
        "account.web_sessions.make_room",
        "account.web_sessions.remove",
    ),
    _MESSAGE: (
        "inbound.received._insert_messages",
        "inbound.received.known_among",
    ),
    _CLAIMED: (
        "connections.connections.release",
        "connections.shared_consents.release",
        "sending.transmissions.set_pending",
    ),
    _FOUND: (
        "account.entries.lock",
        "account.preferences.change",
        "account.preferences.find_by_id",
        "archive.archived.move_late",
        "archive.archived.placed",
        "archive.holds.release",
        "connections.parked.count",
        "connections.parked.park_all",
        "connections.parked.resume_all",
        "connections.parked.resume_of_tenant",
        "connections.parked.since",
        "connections.shared_consents.connections",
        "connections.shared_consents.lease",
        "connections.shared_consents.lock",
        "inbound.notices.lock_followed",
        "inbound.received.bills",
        "inbound.responses.lock_bill",
        "inbound.responses.newest",
        "inbound.responses.of_invoice",
        "invoices.invoices.metadata_of",
        "invoices.invoices.parking_connection",
        "invoices.lists.items",
        "invoices.payments.untold",
        "invoices.shares.lock_invoice",
        "invoices.shares.shared_since",
        "outbox.discard",
        "outbox.make_due",
        "outbox.reclaim",
        "sending.network_findings.of_transmission",
        "sending.resends._replace_transmission",
        "sending.resends._write",
        "sending.sequences.end_all",
        "sending.sequences.holder_of",
        "sending.transmissions.find",
        "webhooks.events.emit_once",
        "webhooks.feed.traces_of",
        "webhooks.webhook_endpoints.lock",
        "webhooks.webhook_queue.move_to_front",
    ),
    _SEND: (
        "invoices.invoices.failure",
        "invoices.invoices.first_answer",
        "invoices.invoices.first_answers",
        "sending.first_answers._earlier",
        "sending.first_answers.fix",
    ),
    _NO_ROW: (
        "outbox.oldest_due",
        "webhooks.feed._imported",
        "webhooks.feed._time_from",
        "webhooks.feed.place_before",
    ),
    _OWNER: (
        "account.entries.ask_again",
        "account.entries.owner",
        "account.participants.owner",
        "sending.messages.owner_of_document",
    ),
}
_PLATFORM = "is about a platform, or tenants that are bound to the platform of the request"
REASONS: Mapping[str, str] = {
    "einvoice.services.connections.accounts._with_consent": _FOUND,
    **dict.fromkeys(
        (
            f"einvoice.store.account.platforms.{name}"
            for name in (
                "find",
                "is_platform",
                "owned_page",
                "tenant_named",
                "tenant_of_external_id",
            )
        ),
        _PLATFORM,
    ),
    **{f"einvoice.store.{name}": why for why, names in _PLACES.items() for name in names},
}


def allowed(place: str) -> bool:
    """Whether a function may run an unbound statement here and now."""
    return place in REASONS or not has_request_context()
