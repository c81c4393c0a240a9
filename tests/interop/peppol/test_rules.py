"""Our statuses and reports by the official rules (phive-rules-peppol 4.2.3), and the reports beside
those that peppol-reporting 4.1.0 makes from the same items.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from lxml import etree

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    SELF_BILLED_INVOICE,
    SELF_BILLING_PROCESS,
    DocumentTypeId,
    ProcessId,
)
from einvoice_peppol import mls, reports
from einvoice_peppol.reporting import RECEIVED, SENT, Item
from tests.interop.peppol import documents, foreign

pytestmark = pytest.mark.interop

OCTOBER, SEAT = date(2026, 10, 1), "POP000001"
PINT = DocumentTypeId(
    "peppol-doctype-wildcard",
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice"
    "##urn:peppol:pint:billing-1@jp-1::2.1",
)
TYPES = [
    (BIS_INVOICE, BIS_BILLING_PROCESS),
    (BIS_CREDIT_NOTE, BIS_BILLING_PROCESS),
    (SELF_BILLED_INVOICE, SELF_BILLING_PROCESS),
    (PINT, ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing")),
]
ISSUES = (
    mls.Issue(mls.SYNTAX, "not <XML> & more"),
    mls.Issue(mls.RULE, "BR-01", "/Invoice[1]"),
    mls.Issue(mls.NOT_DELIVERED, "closed"),
    mls.Issue(mls.WARNING, "perhaps"),
)
ACCEPTED = mls.Mls(
    "id-1", clock.now(), documents.C2_PROVIDER, documents.C3_PROVIDER, mls.PASSED_ON, "instance-1"
)
STATUSES = [
    ACCEPTED,
    replace(ACCEPTED, code=mls.ACCEPTED, issues=ISSUES[3:]),
    replace(ACCEPTED, code=mls.REJECTED, description="No.", issues=ISSUES),
    *(replace(ACCEPTED, code=mls.REJECTED, description="No.", issues=(one,)) for one in ISSUES[:3]),
]


def verified(folder, tmp_path, contents):
    """What the official rules say of documents, each a kind and its content."""
    given = []
    for number, (kind, content) in enumerate(contents):
        file = tmp_path / f"{number}.xml"
        file.write_bytes(content)
        given.append(f"{kind}={file}")
    return foreign.said_by("Verify", folder, *given)


def test_statuses_are_valid_by_the_official_rules(folder, tmp_path):
    """And one that is wrong is not: the rules run."""
    contents = [("mls", mls.write(each)) for each in STATUSES]
    wrong = contents[0][1].replace(b">AB<", b">RE<")
    said = verified(folder, tmp_path, [*contents, ("mls", wrong)])

    assert [line.split()[0] for line in said] == ["valid"] * len(contents) + ["invalid"], said


def items(count, seed=1):
    """Exchanges of a month with several providers, types, countries and end users."""
    dice = random.Random(seed)
    begun = datetime(2026, 10, 1, tzinfo=UTC)
    for number in range(count):
        direction = dice.choice([SENT, RECEIVED])
        other = f"P{dice.choice(['OP', 'BE'])}00000{dice.randint(2, 5)}"
        kind, process = dice.choice(TYPES)
        yield Item(
            str(number), begun + timedelta(seconds=dice.randrange(31 * 86400)), direction,
            *((SEAT, other) if direction == SENT else (other, SEAT)), kind, process,
            dice.choice(["BE", "DE", "JP"]), dice.choice(["BE", "NL"]) if direction == RECEIVED
            else None, f"user-{dice.randint(1, 20)}",
        )  # fmt: skip


def line(item):
    """An item as the counterpart reads it."""
    kind, process = item.document_type, item.process
    parts = [
        item.at.isoformat(), item.direction, item.c2, item.c3, kind.scheme, kind.value,
        process.scheme, process.value, item.country_c1, item.country_c4 or "", item.end_user,
    ]  # fmt: skip
    return "|".join(parts)


@pytest.mark.parametrize("count", [0, 1, 500])
def test_reports_are_those_of_peppol_reporting_and_valid_by_the_official_rules(
    folder, tmp_path, count
):
    made = [*items(count)]
    (tmp_path / "items.txt").write_text("\n".join(map(line, made)))
    given = (f"items={tmp_path / 'items.txt'}", "month=2026-10", f"seat={SEAT}", f"out={tmp_path}")
    assert foreign.said_by("Report", folder, *given) == ["written"]
    ours = {
        "tsr": reports.transaction_statistics(made, OCTOBER, SEAT),
        "eusr": reports.end_user_statistics(made, OCTOBER, SEAT),
    }

    for name, content in ours.items():
        assert _parts(content) == _parts((tmp_path / f"{name}.xml").read_bytes()), name
    said = verified(folder, tmp_path, ours.items())
    assert [each.split()[0] for each in said] == ["valid", "valid"], said


def _parts(content):
    """The parts of a report: all elements with attributes and text; their order is free."""
    return Counter(_flat(each) for each in etree.fromstring(content))


def _flat(element):
    inner = tuple(_flat(each) for each in element)
    return element.tag, tuple(sorted(element.attrib.items())), (element.text or "").strip(), inner
