"""Participant ids from the number of a company."""

from __future__ import annotations

from einvoice.domain.claims import proves, verified_number
from einvoice.domain.company_numbers import participant_ids
from tests.tables import each_row


@each_row(
    ("text", "country", "ids"),
    [
        ("NO991825827MVA", None, ["0192:991825827"]),
        ("991825827", "NO", ["0192:991825827"]),
        ("99182582", "NO", []),
        ("12345678", "NL", ["0106:12345678"]),
        ("NL123456789B01", None, ["9944:NL123456789B01"]),
        ("DK12345678", None, ["0184:12345678"]),
        ("55210055400013", "FR", ["0002:552100554", "9957:FR96552100554"]),
        ("CHE-123.456.788", "CH", ["0183:CHE123456788", "9927:CHE123456788"]),
        ("IT01234567890", "IT", ["0211:IT01234567890"]),
        ("403019261", "BE", ["0208:0403019261", "9925:BE0403019261"]),
        ("0403019262", None, []),
        ("0088:9520000000004", "DE", ["0088:9520000000004"]),
        ("0088:", None, []),
        ("BE", None, []),
        ("", "BE", []),
        ("\0٣" * 70, "NL", []),
        ("1" * 141, "BE", []),
    ],
)
def test_a_number_gives_the_ids_that_contain_it_and_no_others(text, country, ids):
    assert [str(each) for each in participant_ids(text, country)] == ids


@each_row(
    ("text", "country"),
    [("BE0403019261", None), ("552100554", "FR"), ("556036-0793", "SE"), ("DE123456788", None)],
)
def test_each_id_is_proved_by_its_own_number_when_that_is_verified(text, country):
    """What a company uploads for an id names the number that verifies the claim of it."""
    for each in participant_ids(text, country):
        number = str(each) if each.scheme in ("0208", "0002", "0007") else each.value

        assert proves(verified_number(number), each)
