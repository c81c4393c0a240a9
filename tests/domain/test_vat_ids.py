"""Decisions 17.3 and 17.5: VAT ids and the country a tax id begins with."""

from __future__ import annotations

import pytest
from stdnum.fr import tva

from einvoice.domain.vat_ids import cleaned, leading_country, vat_id


@pytest.mark.parametrize(
    ("tax_id", "country", "expected"),
    [
        # a country code leads: kept, whatever the address says
        ("BE0123456749", "BE", "BE0123456749"),
        ("be 0123.456-749", None, "BE0123456749"),
        ("FR 96 552 100 554", "BE", "FR96552100554"),
        ("ATU12345678", "AT", "ATU12345678"),
        ("XI123456789", "GB", "XI123456789"),
        # and completed where people leave something out
        ("BE123456749", "BE", "BE0123456749"),
        ("SE5560360793", "SE", "SE556036079301"),
        ("SE556036079301", "SE", "SE556036079301"),
        ("SE55603607", "SE", "SE55603607"),
        # Greece is EL in VAT ids
        ("EL094259216", "GR", "EL094259216"),
        ("GR094259216", "GR", "EL094259216"),
        ("094259216", "GR", "EL094259216"),
        # none leads: the country's own construction
        ("123456749", "BE", "BE0123456749"),
        ("0123456749", "BE", "BE0123456749"),
        ("12345674", "BE", "BE12345674"),
        ("5560360793", "SE", "SE556036079301"),
        ("556036079301", "SE", "SE556036079301"),
        ("55603607930", "SE", "SE55603607930"),
        ("552100554", "FR", "FR96552100554"),
        ("55210055400013", "FR", "FR96552100554"),
        ("96552100554", "FR", "FR96552100554"),
        ("732829320", "FR", "FR44732829320"),
        ("123456789B01", "NL", "NL123456789B01"),
        ("1234.56.789.B.01", "NL", "NL123456789B01"),
        ("12345678", "NL", None),
        ("123456789", "NL", "NL123456789"),
        ("100123456700003", "AE", "AE100123456700003"),
        ("300123456700003", "SA", "SA300123456700003"),
        ("B12345674", "ES", "ESB12345674"),
        ("U12345678", "AT", "ATU12345678"),
        # nothing to build on
        ("123456749", None, None),
        ("", "BE", None),
        (" -./ ", "BE", None),
    ],
)
def test_a_tax_id_becomes_a_vat_id(tax_id, country, expected):
    """17.5, each rule with its neighbours."""
    assert vat_id(tax_id, country) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("DE123456788", "DE"),
        ("EL094259216", "EL"),
        ("XI123456789", "XI"),
        ("B12345674", None),
        ("U12345678", None),
        ("QQ123456789", None),
        ("0123456749", None),
        ("D", None),
        ("", None),
    ],
)
def test_only_a_country_code_leads(value, expected):
    """17.3: two letters count only where they are a country's (or EL, XI)."""
    assert leading_country(value) == expected


@pytest.mark.parametrize(
    "blank", [" ", "\t", "\u00a0", "\u2009", "\u202f", "\u3000", ".", "-", "/"]
)
def test_blanks_and_marks_do_not_matter(blank):
    assert cleaned(f"be{blank}0123{blank}456749") == "BE0123456749"


@pytest.mark.parametrize("siren", ["552100554", "732829320", "380129866", "542065479"])
def test_the_french_key_is_the_tax_offices(siren):
    """Real companies' numbers, judged by an independent implementation."""
    assert tva.is_valid(vat_id(siren, "FR"))
