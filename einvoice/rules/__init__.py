"""The official rules of EN 16931, Peppol BIS Billing and XRechnung, evaluated in Python.

    from einvoice.rules import Syntax, pack_on
    engine = pack_on(clock.today()).engine(Syntax.UBL)
    verdict = engine.check(root, data)            # root: a parsed, hardened lxml tree of the bytes
    verdict.findings                              # (layer, id, flag, place, values)
    verdict.failed_layers                         # layers with an evaluation error: no verdict
    engine.check_invoice(invoice)                 # the same for what will be sent, without XML

How it works
------------
One pass over the document (reading.py) builds the view: nodes with text, attributes, children by
name, place. Then, at each node, the rules of the first matching context of every pattern are run
(matching.py), and their findings are the verdict (evaluation.py).

Speed comes from `optimisations/`, each with a switch in `Optimisations` that turns it off:

    pack.engine(Syntax.UBL, Optimisations(repeated_lines=False))

By default all rules are compiled into one automaton that the pass walks along. It notes which nodes
some context may match, and which rules are triggered because an element occurs ("must not occur")
or occurs twice ("at most one"), so that these cost nothing on a correct document. A line that
repeats one before it but for its words and amounts is a copy of that one.

How to write a rule
-------------------
Its key is (layer, id): the same id in UBL and CII is two rules, each with its own tolerance,
number type and code list. They share functions for arithmetic, never a rule.

1. The context. Each layer's package has `contexts.py`: its patterns with their contexts in the
   official order, because within a pattern an earlier context shadows a later one.

       model = Pattern()
       TOTALS = model.context("cac:LegalMonetaryTotal")
       LINE_ALLOWANCE = model.context("cac:InvoiceLine/cac:AllowanceCharge", when=allowance)

   A path without a leading slash matches anywhere. `when(node, view)` is the predicate; if it
   raises EvaluationError the context does not match. `Pattern.switch(paths, key=...)` and
   `.case(value)` are for contexts that differ in one value only, such as the VAT category.

2. The rule. One of the tables (tables.py: filled, present, absent, at_most_one, two_decimals,
   coded), or a function in the topic's file:

       totals = Chapter(Layer.CEN_UBL, gathers=("cac:InvoiceLine",))

       @totals.rule("BR-CO-10", "BT-106 BT-131", at=contexts.TOTALS, kind=Kind.SUM)
       def lines_add_up(totals: Node, view: View) -> Values | None:
           \"\"\"The sum of the line net amounts is the total of the line net amounts.\"\"\"
           declared = totals.number("cbc:LineExtensionAmount")
           lines = (line.number("cbc:LineExtensionAmount") for line in view.everywhere(...))
           expected = to_cents(sum((net for net in lines if net is not None), ZERO))
           if declared is not None and declared == expected: return None
           return {"declared": declared, "expected": expected}

   It returns None, or the values that its texts need; BROKEN if there are none. The place is
   always the context's node. The docstring's first line is the requirement, in our words.
   `view.everywhere(name)` is every node of a name that some chapter `gathers`; `view.once(fact)`
   computes a fact about the whole document once for several rules. A rule with `present=` or
   `repeated=` (paths below its context) is run only if an element on such a path is present, or
   repeated.

3. The book. The layer's `__init__.py` binds its chapters: `Book.of(layer, release, chapters)`.

What makes verdicts equal to the official ones
----------------------------------------------
- Write comparisons in the official order with the official short circuits: an error that a short
  circuit avoids is not raised. `text_of` and `number` raise MoreThanOneItem for a repeated element,
  `number` raises InvalidNumber; `texts`, `all`, `has` never raise.
- An absent number is None: any comparison with it is false, so the rule fails. `sum` of nothing
  is 0.
- `to_cents` and `to_integer` round half towards plus infinity; `decimals` counts on the text.
- Compare texts as written; use `normalized` only if the official rule normalizes.
- Use doubles (`double_of`) only if the official rule computes in them.

A context with many nodes (a line), or a table of rules, may have a `fast_path=`: a check that is
true only if none of its rules can be broken. Then they are not run (tests/rules/test_fast_path.py).

Check a layer: `python -m tests.conformance --layer CEN-UBL` compares with the corpus of verdicts,
`--live 1000` with the official rules themselves on newly damaged documents. Time per document:
`python -m bench.rules`.

The next release
----------------
A book of its changes, `PEPPOL_UBL.revised("3.0.22", without={"GR-R-001-5"}, chapters=[...])`
(peppol/ubl/release_3_0_22.py), and a `Pack` below with the first day on which it is in force. Until
that day, sends are warned of what it will refuse (`RuleSet.announced`). Levels that a publisher's
scenarios change with the release are those of `Pack.scenario` (xrechnung/scenarios.py).
"""

import sys
from collections.abc import Iterable
from datetime import date
from functools import cache, partial

from einvoice.domain.identifiers import EN16931_SPECIFICATION, SELF_BILLING_CUSTOMIZATION
from einvoice.rules.book import DeferredBook, Flag
from einvoice.rules.en16931.cii import CEN_CII
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.engine import Engine
from einvoice.rules.evaluation import RuleFinding, RulesVerdict
from einvoice.rules.further import BR_FR, FACTUR_X, FURTHER
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.packs import Pack, pack_of
from einvoice.rules.peppol.cii import PEPPOL_CII
from einvoice.rules.peppol.cii.release_3_0_22 import PEPPOL_CII_3_0_22
from einvoice.rules.peppol.ubl import PEPPOL_UBL
from einvoice.rules.peppol.ubl.release_3_0_22 import PEPPOL_UBL_3_0_22
from einvoice.rules.rule_sets import (
    AS_FLAGGED,
    Choice,
    ChosenBy,
    Declared,
    RuleSet,
    RuleSets,
    Scenario,
)
from einvoice.rules.xrechnung.scenarios import is_xrechnung, scenario_of, scenario_of_2_6_0

__all__ = [
    "EN16931",
    "FACTUR_X",
    "PACKS",
    "PEPPOL_BIS_BILLING",
    "SELF_BILLING",
    "XRECHNUNG",
    "Choice",
    "ChosenBy",
    "Declared",
    "Engine",
    "Flag",
    "Layer",
    "Pack",
    "RuleFinding",
    "RuleSet",
    "RuleSets",
    "RulesVerdict",
    "Scenario",
    "Syntax",
    "are_compiled",
    "built_in",
    "pack_on",
    "with_built_in",
]

PACKS = (
    Pack(
        id="peppol-bis-billing-3.0.21",
        release="Peppol BIS Billing 3.0.21 with EN 16931 1.3.16",
        valid_from=date(2026, 8, 17),
        valid_to=date(2027, 2, 23),
        books=(CEN_UBL, PEPPOL_UBL, CEN_CII, PEPPOL_CII),
    ),
    Pack(
        id="peppol-bis-billing-3.0.22",
        release="Peppol BIS Billing 3.0.22 with EN 16931 1.3.16",
        valid_from=date(2027, 2, 24),
        valid_to=None,
        books=(CEN_UBL, PEPPOL_UBL_3_0_22, CEN_CII, PEPPOL_CII_3_0_22),
    ),
)


def _self_billing(release: str, name: str) -> DeferredBook:
    return DeferredBook(
        Layer.SELFBILLING_UBL, release, "einvoice.rules.peppol.ubl.self_billing", name
    )


_BILLING = "urn:fdc:peppol.eu:2017:poacc:billing"


def _is_bis_billing(document: Declared) -> bool:
    """Whether it is a BIS Billing of any version; rule R004 refuses what is not 3.0.

    The international ones (A-NZ, Singapore) have rules of their own.
    """
    specification = document.specification or ""
    return _BILLING in specification and f"{_BILLING}:international" not in specification


def _is_en16931(document: Declared) -> bool:
    """Whether it is EN 16931 alone; the CII in a PDF is of the profile of Factur-X."""
    in_pdf = document.in_pdf and document.root in Syntax.CII.roots
    return document.specification == EN16931_SPECIFICATION and not in_pdf


def _follows_en16931(document: Declared) -> bool:
    return document.begins_with(EN16931_SPECIFICATION)


def _en16931_scenario(document: Declared) -> Scenario:
    """As flagged; of an extension, which may allow what EN 16931 forbids, all are warnings."""
    if document.specification == EN16931_SPECIFICATION:
        return AS_FLAGGED
    if "#conformant#" in (document.specification or ""):
        return Scenario(gravest=Flag.WARNING, unjudged="extension")
    return Scenario(unjudged="specification")


PEPPOL_BIS_BILLING = RuleSet("peppol-bis-billing", PACKS, recognises=_is_bis_billing)
EN16931 = RuleSet(
    "en16931",
    (
        Pack(
            id="en16931-1.3.16",
            release="EN 16931 1.3.16",
            valid_from=date(2026, 8, 17),
            valid_to=None,
            books=(CEN_UBL, CEN_CII),
        ),
    ),
    recognises=_is_en16931,
    scenario=_en16931_scenario,
    covers=_follows_en16931,
)

SELF_BILLING = RuleSet(
    "selfbilling",
    (
        Pack(
            id="selfbilling-3.0.2",
            release="Peppol BIS Self-Billing 3.0.2 with EN 16931 1.3.16",
            valid_from=date(2026, 8, 17),
            valid_to=date(2027, 2, 23),
            books=(CEN_UBL, _self_billing("3.0.2", "SELFBILLING_UBL")),
        ),
        Pack(
            id="selfbilling-3.0.3",
            release="Peppol BIS Self-Billing 3.0.3 with EN 16931 1.3.16",
            valid_from=date(2027, 2, 24),
            valid_to=None,
            books=(CEN_UBL, _self_billing("3.0.3", "SELFBILLING_UBL_3_0_3")),
        ),
    ),
    recognises=lambda document: document.begins_with(SELF_BILLING_CUSTOMIZATION),
)

# The id of the release of January names no Schematron: it is stored with verdicts. KoSIT names CEN
# 1.3.15 in that configuration and 1.3.16 in the one of August.
_XRECHNUNG = "einvoice.rules.xrechnung"
XRECHNUNG = RuleSet(
    "xrechnung",
    (
        Pack(
            id="xrechnung-3.0.2",
            release="XRechnung 3.0.2 (Schematron 2.5.0) with EN 16931 1.3.16",
            valid_from=date(2026, 1, 31),
            valid_to=date(2026, 8, 30),
            books=(
                CEN_UBL,
                DeferredBook(Layer.XRECHNUNG_UBL, "2.5.0", f"{_XRECHNUNG}.ubl", "XRECHNUNG_UBL"),
                CEN_CII,
                DeferredBook(Layer.XRECHNUNG_CII, "2.5.0", f"{_XRECHNUNG}.cii", "XRECHNUNG_CII"),
            ),
        ),
        Pack(
            id="xrechnung-3.0.2-schematron-2.6.0",
            release="XRechnung 3.0.2 (Schematron 2.6.0) with EN 16931 1.3.16",
            valid_from=date(2026, 8, 31),
            valid_to=None,
            books=(
                CEN_UBL,
                DeferredBook(
                    Layer.XRECHNUNG_UBL,
                    "2.6.0",
                    f"{_XRECHNUNG}.ubl.release_2_6_0",
                    "XRECHNUNG_UBL_2_6_0",
                ),
                CEN_CII,
                DeferredBook(
                    Layer.XRECHNUNG_CII,
                    "2.6.0",
                    f"{_XRECHNUNG}.cii.release_2_6_0",
                    "XRECHNUNG_CII_2_6_0",
                ),
            ),
            scenario=scenario_of_2_6_0,
        ),
    ),
    recognises=is_xrechnung,
    scenario=scenario_of,
)


@cache
def built_in() -> RuleSets:
    """The rule sets of the service, without those of plugins."""
    return with_built_in((), partial(built_in))


def with_built_in(rule_sets: Iterable[RuleSet], restore: partial[RuleSets]) -> RuleSets:
    """Rule sets of plugins and those of the service. Raises ValueError for two of one name."""
    own = (PEPPOL_BIS_BILLING, SELF_BILLING, BR_FR, EN16931, XRECHNUNG, *FURTHER)
    return RuleSets((*own, *rule_sets), PEPPOL_BIS_BILLING.name, restore)


def pack_on(day: date) -> Pack:
    """The rules of Peppol BIS Billing in force on a day."""
    return pack_of(PACKS, day)


def are_compiled() -> bool:
    """Whether the rules were compiled when the service was built (setup.py)."""
    return not str(sys.modules[Engine.__module__].__file__).endswith(".py")
