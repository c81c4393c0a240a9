"""Message Level Status: written by the official rules, and read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice_peppol import mls
from einvoice_peppol.mls import InvalidMls, Issue, Mls
from plugins.peppol.tests import official

POSITIVE = Mls(
    id="a6f197dc-84e5-481f-ab5e-ca1d9ee3c633",
    issued_at=datetime(2026, 11, 20, 12, 0, 5, tzinfo=UTC),
    sender=ParticipantId("0242", "000001"),
    receiver=ParticipantId("0242", "000002-UNIT"),
    code=mls.PASSED_ON,
    instance_id="b3b4f0a2-7b0f-4b55-9d3c-7f3d7f4a9a01",
)
FAILURE = Issue(mls.RULE, "BR-01: <a> & 'b'", "/Invoice[1]/cbc:ID[1]")
REJECTION = replace(
    POSITIVE,
    code=mls.REJECTED,
    description="The document breaks 1 rule & more",
    issues=(FAILURE, Issue(mls.WARNING, "perhaps")),
)
CASES = [
    POSITIVE,
    replace(POSITIVE, code=mls.ACCEPTED, issues=(Issue(mls.WARNING, "perhaps"),)),
    REJECTION,
    replace(REJECTION, issues=(Issue(mls.NOT_DELIVERED, "the receiver's system is closed"),)),
    replace(REJECTION, issues=(Issue(mls.SYNTAX, "not XML"),) * 2),
]


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_is_read_again(case):
    assert mls.read(mls.write(case)) == case


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_keeps_the_official_rules(case):
    assert official.failures(official.MLS, mls.write(case)) == []


def test_the_official_rules_find_a_wrong_document():
    """The rules run: a document that lacks its time breaks exactly two of them."""
    content = mls.write(POSITIVE)
    start, end = content.index(b"<cbc:IssueTime>"), content.index(b"</cbc:IssueTime>")
    found = official.failures(official.MLS, content[:start] + content[end + 16 :])

    assert "SCH-MLS-05" in found


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"code": "XX"}, "response code"),
        ({"id": " "}, "lacks its id"),
        ({"instance_id": ""}, "lacks its id"),
        ({"sender": ParticipantId("0208", "0123456749")}, "service provider"),
        ({"receiver": ParticipantId("0242", "12345")}, "service provider"),
        ({"code": "RE"}, "a rejection lacks"),
        ({"code": "RE", "description": "no"}, "a rejection lacks"),
        ({"code": "RE", "description": " ", "issues": (FAILURE,)}, "a rejection lacks"),
        ({"code": "RE", "description": "no", "issues": (Issue("BW", "w"),)}, "a rejection lacks"),
        ({"issues": (FAILURE,)}, "a positive status has issues"),
        ({"issues": (Issue("BW", " "),)}, "lacks its place or description"),
        ({"issues": (Issue("BW", "w", ""),)}, "lacks its place or description"),
        ({"issues": (Issue("ZZ", "w"),)}, "reason code"),
    ],
)
def test_what_breaks_a_rule_is_not_written(changes, words):
    with pytest.raises(InvalidMls, match=words):
        mls.write(replace(POSITIVE, **changes))


def test_characters_that_xml_does_not_allow_are_replaced():
    """Findings repeat what stands in a document."""
    content = mls.write(replace(REJECTION, description="bad \x07 \ud800 <&>"))

    assert mls.read(content).description == "bad \ufffd \ufffd <&>"


def test_many_issues_are_bounded():
    many = replace(REJECTION, issues=(FAILURE,) * (mls.MAX_ISSUES + 1))

    assert len(mls.read(mls.write(many)).issues) == mls.MAX_ISSUES


def change(before, after):
    return mls.write(REJECTION).replace(before, after)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html/>",
        change(b"urn:peppol:edec:mls:1.0", b"urn:peppol:edec:mls:9.0"),
        change(b"DocumentResponse", b"OtherResponse"),
        change(b"DocumentReference", b"OtherReference"),
        change(b"12:00:05Z", b"12:00:05"),
        change(b"12:00:05Z", b"noon"),
        change(b"SenderParty", b"OtherParty"),
        change(b"LineID", b"OtherID"),
        change(b'schemeID="0242"', b'schemeID="0208"'),
        change(b">RE<", b">PD<"),
    ],
)
def test_what_is_no_message_level_status_is_refused(content):
    with pytest.raises(InvalidMls):
        mls.read(content)


def test_a_time_of_another_zone_is_read():
    found = mls.read(change(b"12:00:05Z", b"13:00:05+01:00"))

    assert found.issued_at == POSITIVE.issued_at.astimezone(timezone(timedelta(hours=1)))


def test_several_issues_of_one_place_are_read():
    """A line has one or more responses (rules 1.0.0 and 1.0.1)."""
    second = (
        b"<cac:Response><cbc:Description>perhaps</cbc:Description><cac:Status>"
        b"<cbc:StatusReasonCode>BW</cbc:StatusReasonCode></cac:Status></cac:Response>"
    )
    content = mls.write(replace(REJECTION, issues=(FAILURE,)))
    content = content.replace(b"</cac:LineResponse>", second + b"</cac:LineResponse>")

    assert official.failures(official.MLS, content) == []
    assert mls.read(content).issues == (FAILURE, Issue(mls.WARNING, "perhaps", FAILURE.place))


def test_the_id_of_a_provider_may_be_in_lower_case():
    """Rules 1.0.1, for MLS 1.1.0: the form of an SPID is not case-sensitive."""
    found = mls.read(change(b">000002-UNIT<", b">000002-unit<"))

    assert found.receiver == ParticipantId("0242", "000002-unit")


def test_an_endpoint_that_repeats_its_scheme_is_read():
    """Some providers write 0242:000001 with the scheme 0242."""
    assert mls.read(change(b">000001<", b">0242:000001<")).sender.value == "000001"


@pytest.mark.parametrize(
    ("mls_to", "expected"),
    [
        (None, "0242:000002"),
        ("0242:000002-UNIT", "0242:000002-UNIT"),
        (" 0242:000002 ", "0242:000002"),
        ("0242:000003-UNIT", "0242:000002"),
        ("0208:000002", "0242:000002"),
        ("0242:000002-x", "0242:000002"),
        ("nonsense", "0242:000002"),
    ],
)
def test_it_goes_to_mls_to_if_that_is_of_the_provider_that_signed(mls_to, expected):
    """Otherwise anyone's provider could be flooded."""
    assert str(mls.recipient(mls_to, "POP000002")) == expected


@pytest.mark.parametrize("seat", ["POP00001", "XOP000001", "pop000001", "POP0000011", ""])
def test_what_is_not_a_seat_id_has_no_spid(seat):
    with pytest.raises(ValueError, match="seat id"):
        mls.spid_of(seat)
