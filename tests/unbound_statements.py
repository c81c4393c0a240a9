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
_OWNER = "finds the tenant of a document that an access point hands over"

_PLACES: Mapping[str, tuple[str, ...]] = {
    _SECRET: (
        "connections.take_consent",
        "credentials.digests",
        "credentials.find_live_client",
        "credentials.find_live_key",
        "credentials.note_use",
        "credentials.owner_of_key",
        "shares.find_shared",
        "web_sessions.find",
    ),
    _SESSION: (
        "web_sessions.change",
        "web_sessions.claim_refresh",
        "web_sessions.make_room",
        "web_sessions.remove",
    ),
    _CLAIMED: (
        "connections.release",
        "shared_consents.release",
        "transmissions.set_pending",
    ),
    _FOUND: (
        "archived.move_late",
        "archived.placed",
        "events.emit_once",
        "feed.traces_of",
        "holds.release",
        "invoices.metadata_of",
        "invoices.parking_connection",
        "lists.items",
        "network_findings.of_transmission",
        "notices.lock_followed",
        "outbox.discard",
        "outbox.reclaim",
        "parked.count",
        "parked.park_all",
        "parked.resume_all",
        "parked.resume_of_tenant",
        "parked.since",
        "received.bills",
        "resending._replace_transmission",
        "resending._write",
        "responses.lock_bill",
        "responses.newest",
        "responses.of_invoice",
        "sequences._end",
        "sequences._locked",
        "sequences.end_all",
        "sequences.holder_of",
        "shared_consents.connections",
        "shared_consents.lease",
        "shared_consents.lock",
        "shares.lock_invoice",
        "shares.shared_since",
        "transmissions.find",
        "webhook_endpoints.lock",
        "webhook_queue.move_to_front",
    ),
    _SEND: (
        "first_answers._earlier",
        "first_answers.fix",
        "invoices.failure",
        "invoices.first_answer",
        "invoices.first_answers",
    ),
    _NO_ROW: (
        "feed._imported",
        "feed._time_from",
        "feed.place_before",
        "outbox.oldest_due",
    ),
    _OWNER: (
        "messages.owner_of_document",
        "participants.owner",
    ),
}
REASONS: Mapping[str, str] = {
    "einvoice.services.connections.accounts._with_consent": _FOUND,
    **{f"einvoice.store.{name}": why for why, names in _PLACES.items() for name in names},
}


def allowed(place: str) -> bool:
    """Whether a function may run an unbound statement here and now."""
    return place in REASONS or not has_request_context()
