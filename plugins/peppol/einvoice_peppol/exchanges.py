"""Recording each exchange for the monthly reports, where it happens.

A received document counts when it has been judged, because its customer is known then; a status
when it is taken; what we send when its receipt is verified. An exchange that cannot be recorded is
logged with all that the reports need, and the document goes on its way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import structlog
from cryptography import x509

from einvoice import clock
from einvoice.network.messages import ReceivedOutcome
from einvoice.network.types import Envelope
from einvoice_peppol import mls, trust
from einvoice_peppol.configuration import Network
from einvoice_peppol.end_users import UNKNOWN_COUNTRY, legal_person
from einvoice_peppol.reporting import RECEIVED, SENT, Item, Ledger
from einvoice_peppol.sbdh import Header
from einvoice_peppol.statuses import country_of
from einvoice_peppol.tax_authorities import is_report

log = structlog.get_logger()


class Exchanges:
    """Records the exchanges of a network."""

    def __init__(self, own: Network, ledger: Ledger) -> None:
        self._own = own
        self._ledger = ledger

    def sent(self, delivered: Iterable[tuple[Envelope, str, x509.Certificate]]) -> None:
        """Record documents with their message id and the certificate of the receiver."""
        items = [self._sent(*each) for each in delivered]
        try:
            self._ledger.record(items)
        except Exception:
            log.exception("exchanges not recorded", items=[asdict(item) for item in items])

    def _sent(self, envelope: Envelope, message_id: str, receiver: x509.Certificate) -> Item:
        kind = envelope.document_type
        of_customer = kind != mls.DOCUMENT_TYPE and not is_report(kind)
        return Item(
            key=message_id,
            at=clock.now(),
            direction=SENT,
            c2=self._own.seat,
            c3=trust.seat_id(receiver),
            document_type=envelope.document_type,
            process=envelope.process,
            country_c1=envelope.sender_country or self._country(),
            end_user=legal_person(envelope.sender) if of_customer else None,
        )

    def received(self, outcomes: Iterable[ReceivedOutcome]) -> None:
        """Record received documents. Raises what the store raises: the call is repeated then."""
        self._ledger.record([self._received(one) for one in outcomes if one.state.get("seat")])

    def _received(self, outcome: ReceivedOutcome) -> Item:
        seat = outcome.state["seat"]
        return Item(
            # Two documents of one sender may have one instance id.
            key=f"{seat}/{outcome.instance_id}/{outcome.document_id}",
            at=outcome.received_at,
            direction=RECEIVED,
            c2=seat,
            c3=self._own.seat,
            document_type=outcome.document_type,
            process=outcome.process,
            country_c1=outcome.state.get("country_c1", UNKNOWN_COUNTRY),
            country_c4=outcome.receiver_country or self._country(),
            end_user=legal_person(outcome.receiver) if outcome.receiver else outcome.tenant_id,
        )

    def evidence_received(
        self, header: Header, seat: str, *, of_customer: bool = False, country: str | None = None
    ) -> None:
        """Record a status or response of the access point with this seat id.

        of_customer  a customer gets it, as a response; a Message Level Status has no end user
        country      of that customer
        """
        item = Item(
            key=f"{seat}/{header.instance_id}",
            at=clock.now(),
            direction=RECEIVED,
            c2=seat,
            c3=self._own.seat,
            document_type=header.document_type,
            process=header.process,
            country_c1=header.country_c1,
            country_c4=country or self._country(),
            end_user=legal_person(header.receiver) if of_customer else None,
        )
        try:
            self._ledger.record([item])
        except Exception:
            log.exception("exchange not recorded", items=[asdict(item)])

    def _country(self) -> str:
        """Our own country stands for one that is not known."""
        return country_of(self._own.identity) or UNKNOWN_COUNTRY
