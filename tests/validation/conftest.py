"""Correct sends with single fields changed, and their reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from einvoice.domain.derive import derive
from einvoice.domain.invoice import Invoice, Routing
from einvoice.validation import Report, findings
from einvoice.web.shared.send_bodies import read_send
from tests.builders import send_body

REFERENCE = "6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c"


def changed_body(changes: dict[str, Any]) -> dict[str, Any]:
    """A correct body with values set at paths like `invoice.lineItems.0.taxRate`; None removes."""
    body = send_body(REFERENCE)
    for path, value in changes.items():
        *above, last = (int(step) if step.isdigit() else step for step in path.split("."))
        place: Any = body
        for step in above:
            place = place[step] if isinstance(place, list) else place.setdefault(step, {})
        if value is None:
            del place[last]
        else:
            place[last] = value
    return body


def derived(changes: dict[str, Any]) -> tuple[Invoice, Routing]:
    """The invoice and routing derived from a changed body."""
    request = read_send(json.dumps(changed_body(changes)).encode())
    return derive(request["invoice"], request["routing"]).invoice, request["routing"]


@pytest.fixture
def judged() -> Callable[[dict[str, Any]], Report]:
    """The report on a correct send with some fields changed."""
    return lambda changes: findings(*derived(changes))
