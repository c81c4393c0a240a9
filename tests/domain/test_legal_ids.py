"""Electronic addresses and legal registrations (decisions 17.2, 17.6 and 20.2)."""

from __future__ import annotations

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.legal_ids import endpoint, legal_id


@pytest.mark.parametrize(
    ("participant", "override", "expected"),
    [
        ("0088:9520000000004", None, ("0088", "9520000000004")),
        ("0208:0123456749", None, ("0208", "0123456749")),
        ("0208:123456749", None, ("0208", "0123456749")),
        ("0208:BE0123456749", None, ("0208", "0123456749")),
        ("0208:0123.456.749", None, ("0208", "0123456749")),
        ("0231:300123456700003", None, ("0231", "300123456700003")),
        ("0231:300123456700003", "0088:9520000000004", ("0088", "9520000000004")),
        ("0231:300123456700003", "0208:123456749", ("0208", "0123456749")),
        ("0230:AB:CD", None, ("0230", "AB:CD")),
        ("0088:9520000000004", "", ("0088", "9520000000004")),
        ("0088:9520000000004", "x 0208:123456749", ("0088", "9520000000004")),
    ],
)
def test_the_endpoint_is_the_endpoint_id_else_the_participant_id(participant, override, expected):
    found = endpoint(ParticipantId.parse(participant), override)

    assert (found.scheme, found.value) == expected


GLN = "0088:9520000000004"


@pytest.mark.parametrize(
    ("company_id", "participant", "tax_id", "country", "expected"),
    [
        # companyId
        ("0106:12345678", GLN, "", "NL", ("0106", "12345678")),
        ("12345678", GLN, "", "NL", ("0106", "12345678")),
        ("0123.456.749", GLN, "", "BE", ("0208", "0123456749")),
        ("556036-0793", GLN, "", "SE", ("0007", "5560360793")),
        ("0106:1234 5678", GLN, "", "NL", ("0106", "12345678")),
        ("HRB 1234", GLN, "", "DE", (None, "HRB 1234")),
        ("HRB 0106:12", GLN, "", "DE", (None, "HRB 0106:12")),
        ("HRB 1234", GLN, "", None, (None, "HRB 1234")),
        ("0196:1234567890", GLN, "", "AE", (None, "1234567890")),
        ("0231:300123456700003", GLN, "", "SA", (None, "300123456700003")),
        # a participant id of a register
        (None, "0208:0123456749", "BE999", "BE", ("0208", "0123456749")),
        (None, "0106:12345678", "", "NL", ("0106", "12345678")),
        (None, "0007:5560360793", "", "SE", ("0007", "5560360793")),
        (None, "0002:55210055400013", "", "FR", ("0002", "552100554")),
        (None, "0190:00000001003214345000", "", "NL", ("0190", "00000001003214345000")),
        (None, "0192:123456785", "NO123456785MVA", "NO", ("0192", "123456785")),
        (None, "0184:12345674", "DK12345674", "DK", ("0184", "12345674")),
        (None, "0183:CHE123456788", "", "CH", ("0183", "CHE123456788")),
        # the tax id
        (None, GLN, "BE0123456749", "BE", ("0208", "0123456749")),
        (None, GLN, "BE 123456749", "BE", ("0208", "0123456749")),
        (None, GLN, "SE556036079301", "SE", ("0007", "5560360793")),
        (None, GLN, "5560360793", "SE", ("0007", "5560360793")),
        (None, GLN, "FR96552100554", "FR", ("0002", "552100554")),
        (None, GLN, "FRK7552100554", "FR", ("0002", "552100554")),
        (None, GLN, "552100554", "FR", ("0002", "552100554")),
        (None, GLN, "55210055400013", "FR", ("0002", "552100554")),
        (None, GLN, "12345678", "NL", ("0106", "12345678")),
    ],
)
def test_the_legal_id_comes_from_the_first_source_given(
    company_id, participant, tax_id, country, expected
):
    """companyId, else the participant id of a register, else the tax id; never as 0196 or 0231."""
    found = legal_id(company_id, ParticipantId.parse(participant), tax_id, country)

    assert found is not None
    assert (found.scheme, found.value) == expected


@pytest.mark.parametrize(
    ("participant", "tax_id", "country"),
    [
        (GLN, "", "NL"),
        (GLN, "DE123456788", "DE"),
        (GLN, "NL123456789B01", "NL"),
        (GLN, "BE12", "BE"),
        (GLN, "DK12345674", "DK"),
        ("9930:DE123456788", "DE123456788", "DE"),
        ("0196:1234567890", "100123456700003", "AE"),
        ("0231:300123456700003", "SA300123456700003", "SA"),
        (GLN, "12345678", None),
    ],
)
def test_no_register_number_is_made_of_another_number(participant, tax_id, country):
    """Decisions 20.2: a GLN and most tax ids are no register number."""
    assert legal_id(None, ParticipantId.parse(participant), tax_id, country) is None
