"""Which documents are XRechnungen, and how KoSIT's validator judges each kind of them.

KoSIT compares the specification identifier (BT-24) exactly, spaces included. A document that has
none of these identifiers, or has one that is not for its document element, fits no scenario and is
refused. Its scenarios give some rules of EN 16931 another level: those that a rule of the Extension
or of CVD replaces count as information.

Source: KoSIT, validator configuration of XRechnung 3.0.2, scenarios.xml of January 2026 and of
2026-08-31, which changes levels of the CII scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping

from einvoice.domain.identifiers import EN16931_SPECIFICATION, XRECHNUNG_CUSTOMIZATION
from einvoice.rules.book import Flag
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.rule_sets import Declared, Scenario

EN16931 = EN16931_SPECIFICATION
CIUS = XRECHNUNG_CUSTOMIZATION
EXTENSION = f"{CIUS}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
CVD = f"{CIUS}#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9"


def _levels(level: Flag, *rules: str) -> dict[str, Flag]:
    return dict.fromkeys(rules, level)


_CODES = _levels(Flag.WARNING, "BR-CL-21", "BR-CL-23")
_NO_SUB_LINES = _levels(Flag.FATAL, "UBL-CR-646")
_STRUCTURE = _levels(Flag.FATAL, "CII-SR-452", "CII-SR-453", "CII-SR-454")
# Person and department of a contact; names and files of all supporting documents together, which
# BR-TMP-4 and BR-TMP-5 count in each of them.
_STRUCTURE_2_6_0 = (
    _STRUCTURE
    | _levels(Flag.FATAL, "CII-SR-465", "CII-SR-466")
    | _levels(Flag.INFORMATION, "CII-SR-475", "CII-SR-476")
)
_CLASSIFICATION = _levels(Flag.INFORMATION, "BR-CL-13")
_EXTENDED = _CODES | _levels(
    Flag.INFORMATION,
    "BR-CL-10", "BR-CL-11", "BR-CL-21", "BR-CL-24", "BR-CL-25", "BR-CL-26",
)  # fmt: skip
_EXTENDED_UBL = _EXTENDED | _levels(Flag.INFORMATION, "BR-CO-16", "UBL-CR-470", "UBL-CR-646")

_INVOICE, _CREDIT_NOTE = Syntax.UBL.roots
(_CII,) = Syntax.CII.roots
_CEN_ALONE = Scenario(layers=frozenset({Layer.CEN_UBL, Layer.CEN_CII}))

Scenarios = Mapping[tuple[str, str], Scenario]  # by document element and BT-24


def _of_cii(structure: Mapping[str, Flag]) -> Scenarios:
    return {
        (_CII, CIUS): Scenario({**_CODES, **structure}),
        (_CII, EXTENSION): Scenario({**_EXTENDED, **structure}),
        (_CII, CVD): Scenario({**_CODES, **structure, **_CLASSIFICATION}),
    }


SCENARIOS: Scenarios = {
    (_INVOICE, CIUS): Scenario(_CODES | _NO_SUB_LINES),
    (_INVOICE, EXTENSION): Scenario(_EXTENDED_UBL),
    (_INVOICE, CVD): Scenario(_CODES | _NO_SUB_LINES | _CLASSIFICATION),
    (_CREDIT_NOTE, CIUS): Scenario(_CODES),
    (_CREDIT_NOTE, CVD): Scenario(_CODES | _NO_SUB_LINES | _CLASSIFICATION),
    **_of_cii(_STRUCTURE),
    **{(root, EN16931): _CEN_ALONE for root in (_INVOICE, _CREDIT_NOTE, _CII)},
}
SCENARIOS_2_6_0: Scenarios = {**SCENARIOS, **_of_cii(_STRUCTURE_2_6_0)}


def is_xrechnung(declared: Declared) -> bool:
    """Whether a document says that it is an XRechnung 3.0, exactly as KoSIT compares it or not."""
    written = "".join(declared.written) or declared.specification or ""
    return written.strip().lower().startswith(CIUS)


def scenario_of(declared: Declared, scenarios: Scenarios = SCENARIOS) -> Scenario | None:
    """KoSIT's scenario for a document, in its configuration of January; None if it has none."""
    for written in declared.written:
        found = scenarios.get((declared.root, written))
        if found is not None:
            return found
    return None


def scenario_of_2_6_0(declared: Declared) -> Scenario | None:
    """The same in the configuration of 2026-08-31."""
    return scenario_of(declared, SCENARIOS_2_6_0)
