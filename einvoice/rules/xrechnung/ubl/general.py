"""BR-DE and BR-TMP: what KoSIT requires of every UBL XRechnung.

Most have the test of a German rule of BIS Billing, but hold whatever the countries of the parties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Rule, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.germany.ubl import DOCUMENT as GERMAN_DOCUMENT
from einvoice.rules.national.germany.ubl import germany
from einvoice.rules.node import Node
from einvoice.rules.view import View
from einvoice.rules.xrechnung.scenarios import CIUS, CVD, EXTENSION

general = Chapter(Layer.XRECHNUNG_UBL)

_PREFIX = "DE-R-"
# The German rules of BIS Billing whose ids differ in more than the prefix and leading zeros.
_RENAMED = {
    "DE-R-T02": "BR-TMP-2",
    "DE-R-023-1": "BR-DE-23-a", "DE-R-023-2": "BR-DE-23-b",
    "DE-R-024-1": "BR-DE-24-a", "DE-R-024-2": "BR-DE-24-b",
    "DE-R-025-1": "BR-DE-25-a", "DE-R-025-2": "BR-DE-25-b",
}  # fmt: skip
_REQUIRES = {"BR-DE-17": "The type (BT-3) is one of those used in Germany."}
_CONTEXTS = GERMAN_DOCUMENT.pattern.everywhere()
DOCUMENT = _CONTEXTS[GERMAN_DOCUMENT]


def _german_rules() -> Iterator[Rule]:
    for rule in germany.rules:
        name = _RENAMED.get(rule.id) or f"BR-DE-{rule.id.removeprefix(_PREFIX).lstrip('0')}"
        yield replace(
            rule,
            layer=general.layer,
            id=name,
            context=_CONTEXTS[rule.context],
            requirement=_REQUIRES.get(name, rule.requirement),
        )


general.rules.extend(_german_rules())


@general.rule("BR-DE-21", "BT-24", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.FORMAT,
              path="cbc:CustomizationID")  # fmt: skip
def specification_is_xrechnung(invoice: Node, _: View) -> Values | None:
    """The specification identifier (BT-24) is that of XRechnung, its Extension or CVD."""
    found = invoice.texts("cbc:CustomizationID")
    known = any(text in (CIUS, EXTENSION, CVD) for text in found)
    return None if known else {"text": " ".join(found), "expected": CIUS}


@general.rule("BR-DE-TMP-32", "BT-72 BG-14 BG-26", at=DOCUMENT, flag=Flag.INFORMATION,
              kind=Kind.PRESENCE, path="cac:Delivery/cbc:ActualDeliveryDate")  # fmt: skip
def supply_has_a_date(invoice: Node, _: View) -> Values | None:
    """A delivery date (BT-72), invoicing period (BG-14) or one in every line (BG-26) is given."""
    if invoice.has("cac:Delivery/cbc:ActualDeliveryDate") or invoice.has("cac:InvoicePeriod"):
        return None
    for name in ("cac:InvoiceLine", "cac:CreditNoteLine"):
        if not all(line.has("cac:InvoicePeriod") for line in invoice.all(name)):
            return BROKEN
    return None
