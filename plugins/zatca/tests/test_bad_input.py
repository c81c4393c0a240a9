"""Values at and beyond the limits of a stamp."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT
from einvoice.domain.errors import InvalidField
from einvoice.network.connections import NeedsPerson, NotChecked
from einvoice.network.types import Blocked, Delivered, Rejected, Unknown
from einvoice_zatca import form, qr
from einvoice_zatca.chain import Chain
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi, unit
from plugins.zatca.tests.test_form import at, findings
from tests.networks.stand_ins import Answer
from tests.networks.zatca import _Handler, judging

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


# -- a clock that is an hour off -------------------------------------------------------------------

HOUR = timedelta(hours=1)


@pytest.mark.parametrize("off", [-HOUR, HOUR])
def test_a_unit_whose_clock_is_an_hour_off_is_registered_and_continues_its_chain(
    point, authority, monkeypatch, off
):
    """Within a day no rule compares the time of issue with the clock of Fatoora."""
    noon = datetime(2026, 11, 24, 9, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: noon + off)
    connection = unit.registered(point, authority)
    bound = unit.bound(point, connection)
    one = replace(unit.envelope(), accepted_at=clock.now())
    made = bound.prepare(one)
    monkeypatch.setattr(clock, "now", lambda: noon)

    assert at(made.content, "cbc:IssueTime/text()") == [f"{noon + 3 * HOUR + off:%H:%M:%S}"]
    assert isinstance(bound.submit(one, made), Delivered)


@pytest.mark.parametrize(("off", "taken"), [(timedelta(), True), (HOUR, False)])
def test_a_document_of_tomorrow_is_refused_by_its_date_and_keeps_its_place(
    point, connection, monkeypatch, off, taken
):
    """At half past eleven in the evening a clock that is an hour ahead has the next day."""
    evening = datetime(2026, 11, 24, 20, 30, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: evening + off)
    bound = unit.bound(point, connection)
    one = replace(unit.envelope(saudi.an_invoice()), accepted_at=clock.now())
    made = bound.prepare(one)
    monkeypatch.setattr(clock, "now", lambda: evening)
    outcome = bound.submit(one, made)

    assert isinstance(outcome, Delivered) == taken, outcome
    assert taken or [each.rule for each in outcome.findings] == ["BR-KSA-04"]
    assert Chain.of(made.connection_state.values).counter == 1


# -- answers of a hostile network ------------------------------------------------------------------


def answered(point, connection, monkeypatch, body, status=200):
    """The outcome of a document, and the document, where the network answers with this."""
    bound, one = unit.bound(point, connection), unit.envelope()
    made = bound.prepare(one)
    content = json.dumps(body).encode()
    monkeypatch.setattr(_Handler, "_answer", lambda *_: Answer(status, content))
    return bound.submit(one, made), made


def cleared(content: bytes):
    return {"clearanceStatus": "CLEARED", "clearedInvoice": base64.b64encode(content).decode()}


ANOTHER = b'<Invoice xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:'
ANOTHER += (
    b'CommonBasicComponents-2"><cbc:UUID>8e6000cf-1a98-4174-b3e7-b5d5954bc10d</cbc:UUID></Invoice>'
)


@pytest.mark.parametrize("content", [ANOTHER, b"<Invoice/>", b"<html", b"\x00\xff"])
def test_an_answer_with_another_document_is_not_believed(point, connection, monkeypatch, content):
    """The same bytes are sent again; that they are there (409) then delivers them, and no foreign
    document is kept as the original."""
    first, _ = answered(point, connection, monkeypatch, cleared(content))
    second, made = answered(point, connection, monkeypatch, cleared(content), 409)

    assert isinstance(first, Unknown)
    assert isinstance(second, Delivered)
    (kept,) = [each for each in second.evidence if each.kind == AUTHORITY_DOCUMENT]
    assert (kept.content, kept.legal_original) == (made.content, False)


def test_an_original_of_ten_times_the_size_is_kept_whole(point, connection, monkeypatch):
    bound, one = unit.bound(point, connection), unit.envelope()
    made = bound.prepare(one)
    large = made.content.replace(
        b"</Invoice>", b"<!--" + b"x" * 9 * len(made.content) + b"-->\n</Invoice>"
    )
    monkeypatch.setattr(
        _Handler, "_answer", lambda *_: Answer(200, json.dumps(cleared(large)).encode())
    )
    outcome = bound.submit(one, made)

    assert isinstance(outcome, Delivered), outcome
    assert large in [each.content for each in outcome.evidence]


def test_errors_with_texts_of_100_kb_have_a_short_reason(point, connection, monkeypatch):
    words = "اسم " * 25_000
    results = {"errorMessages": [judging.message(words, words)] * 3}
    body = {"clearanceStatus": "NOT_CLEARED", "validationResults": results}
    outcome, _ = answered(point, connection, monkeypatch, body, 400)

    assert isinstance(outcome, Rejected)
    assert len(outcome.reason) <= 2000
    assert len(outcome.code) <= 100


@pytest.mark.parametrize("words", ["x" * 100_000, "", None, 7, {"a": 1}])
def test_a_registration_that_is_refused_with_any_text_needs_a_person(
    point, authority, monkeypatch, words
):
    body = {"errors": [{"code": words, "message": words}]}
    monkeypatch.setattr(_Handler, "_answer", lambda *_: Answer(400, json.dumps(body).encode()))
    outcome = point.open(unit.new(authority.otp()))

    assert isinstance(outcome, NeedsPerson)
    assert len(outcome.reason) < 600


BROKEN = {
    "no fields": {},
    "no secret": {"binarySecurityToken": "eA=="},
    "a token that is no certificate": {
        "binarySecurityToken": "eA==", "secret": "s", "requestID": 1
    },
    "a token that is no text": {"binarySecurityToken": [1], "secret": "s", "requestID": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_certificate_that_cannot_be_read_registers_nothing(point, authority, monkeypatch, name):
    content = json.dumps(BROKEN[name]).encode()
    monkeypatch.setattr(_Handler, "_answer", lambda *_: Answer(200, content))
    outcome = point.open(unit.new(authority.otp()))

    assert isinstance(outcome, NeedsPerson | NotChecked), outcome
    assert "checkToken" not in (getattr(outcome, "credentials", None) or {})
