"""Values at and beyond the limits of a stamp."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.domain.errors import InvalidField
from einvoice.network.types import Blocked, Delivered, Rejected
from einvoice_zatca import form, qr
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi, unit
from plugins.zatca.tests.test_form import at, findings
from tests.networks.zatca import judging

QR = "string(cac:AdditionalDocumentReference[cbc:ID='QR']/cac:Attachment/*)"
LONGEST = "ش" * 127 + "a"  # 255 bytes


@pytest.mark.parametrize("buyer", [saudi.BUSINESS, saudi.CONSUMER])
def test_the_longest_name_gives_a_code_of_more_than_700_characters_that_keeps_the_rules(
    point, connection, buyer
):
    """The rules take 1,000; the 700 of an older text are those of a code without a signature."""
    invoice = saudi.an_invoice(seller=replace(saudi.SELLER, name=LONGEST), buyer=buyer)
    bound, one = unit.bound(point, connection), unit.envelope(invoice)
    made = bound.prepare(one)
    code = parsed(made.content)

    assert 700 < len(code) <= 1000
    assert qr.decoded(code)[qr.Tag.SELLER] == LONGEST.encode()
    assert (verify(made.content).faults, findings(made.content)) == ((), [])
    assert isinstance(bound.submit(one, made), Delivered)


def parsed(document: bytes) -> str:
    (code,) = at(document, f"{QR[7:-1]}/text()")
    return code


def test_a_name_of_256_bytes_is_refused_at_its_field():
    with pytest.raises(InvalidField) as refused:
        form.adapt(saudi.an_invoice(seller=replace(saudi.SELLER, name=LONGEST + "a")))

    assert [each.pointer for each in refused.value.errors] == ["/invoice/supplier/name"]


def test_a_document_with_a_longer_name_that_was_accepted_before_is_rejected_not_cut(
    point, connection
):
    """As of a release without the limit. The chain does not go on: nothing was stamped."""
    document = unit.envelope().document
    name = saudi.SELLER.name.encode()
    longer = document.replace(name, (LONGEST + "a").encode())
    outcome = unit.bound(point, connection).prepare(unit.envelope(document=longer))

    assert isinstance(outcome, Rejected)
    assert "SELLER has 256 bytes" in outcome.reason


def test_of_two_workers_that_prepare_at_once_one_is_told_that_the_unit_is_behind(point, connection):
    """The service lets one of them store its place; here both go on, as after a restore."""
    first, second = (unit.bound(point, connection) for _ in range(2))
    one, other = unit.envelope(), unit.envelope()
    made = [first.prepare(one), second.prepare(other)]
    outcomes = first.submit(one, made[0]), second.submit(other, made[1])

    assert [verify(each.content).counter for each in made] == ["1", "1"]
    assert [type(each) for each in outcomes] == [Delivered, Blocked]


def test_an_error_and_a_warning_of_one_rule_refuse_the_document_and_show_the_error(
    point, connection, monkeypatch
):
    judge = judging.judge

    def judged(said, token):
        found = judge(said, token)
        found.errors.append(judging.message("BR-KSA-37", "fatal"))
        found.warnings.append(judging.message("BR-KSA-37", "mild", "WARNING"))
        return found

    bound, one = unit.bound(point, connection), unit.envelope()
    made = bound.prepare(one)
    monkeypatch.setattr(judging, "judge", judged)
    outcome = bound.submit(one, made)

    assert isinstance(outcome, Rejected)
    assert [(each.rule, each.text) for each in outcome.findings] == [("BR-KSA-37", "fatal")]
