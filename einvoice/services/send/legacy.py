"""The deprecated v1 send: its own rule of totals (decisions 16, 19.10), then as a send."""

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
from einvoice.services.send.check import (
    check_derived,
    check_parties,
    defaults_of,
    refuse_errors,
)
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import send_checked


@dataclass(frozen=True, slots=True)
class LegacySend:
    """A v1 request as a send, with the lines and the total as v1 has them.

    `names`: what the v1 body calls the fields of a send.
    """

    request: SendRequest
    lines: Iterable[LegacyLine]
    total_amount: Decimal
    names: FieldNames


def send_legacy(command: SendCommand, wanted: LegacySend, runtime: Runtime) -> SendResult:
    """Send the invoice. The amount due is totalAmount; cents by which the lines differ from it are
    written as rounding. Every refusal is a RequestRefused."""
    return send_checked(command, lambda: _check(command, wanted, runtime), runtime)


def _check(command: SendCommand, wanted: LegacySend, runtime: Runtime) -> AcceptableDocument:
    request, who = wanted.request, command.principal
    routing = request["routing"]
    check_parties(routing, who, runtime)
    computed = check_legacy(wanted.lines, wanted.total_amount)
    derived = derive(request["invoice"], routing, defaults_of(who, request, runtime), computed)
    try:
        return check_derived(request, derived, command, runtime)
    except ValidationFailed:
        # Judged again for the words: what is stored of an accepted invoice has a send's names.
        refuse_errors(validation.findings(derived.invoice, routing, names=wanted.names))
        raise
    except UnknownAccessPointRef as refusal:
        raise refusal.naming(wanted.names.of("routing.accessPointRef")) from None
