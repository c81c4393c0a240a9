"""The deprecated v1 send: its own rule of totals (decisions 16, 19.10), then the way of a send."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from einvoice import validation
from einvoice.domain.derive import derive
from einvoice.domain.errors import UnknownAccessPointRef, ValidationFailed
from einvoice.domain.field_names import FieldNames
from einvoice.domain.legacy_totals import LegacyLine, check_legacy
from einvoice.domain.request import SendRequest
from einvoice.services.runtime import Runtime
from einvoice.services.send import send
from einvoice.services.send.send import Ask, Checked, Sent


@dataclass(frozen=True, slots=True)
class LegacySend:
    """A v1 request as a send, with the lines and the total as v1 has them.

    `names`: what the v1 body calls the fields of a send.
    """

    request: SendRequest
    lines: Iterable[LegacyLine]
    total_amount: Decimal
    names: FieldNames


def send_legacy(ask: Ask, wanted: LegacySend, runtime: Runtime) -> Sent:
    """Accept the invoice, or say why not. What is due is totalAmount; cents that the lines do not
    come to stand in the document as rounding."""
    return send.proceed(ask, lambda: _check(ask, wanted, runtime), runtime)


def _check(ask: Ask, wanted: LegacySend, runtime: Runtime) -> Checked:
    request, who = wanted.request, ask.principal
    routing = request["routing"]
    send.check_parties(routing, who, runtime)
    computed = check_legacy(wanted.lines, wanted.total_amount)
    derived = derive(request["invoice"], routing, send.defaults_of(who, request, runtime), computed)
    try:
        return send.judged(request, derived, ask, runtime)
    except ValidationFailed:
        # Judged again for the words: what is stored of an accepted invoice has a send's names.
        send.refuse_red(validation.findings(derived.invoice, routing, names=wanted.names))
        raise
    except UnknownAccessPointRef as refusal:
        raise refusal.naming(wanted.names.of("routing.accessPointRef")) from None
