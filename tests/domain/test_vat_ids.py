"""VAT ids, and the country prefix of a tax id (decisions 17.3 and 17.5)."""

from __future__ import annotations

import pytest
from stdnum.fr import tva

from einvoice.domain.vat_ids import compact, country_prefix, vat_id
from tests.tables import each_row


@each_row(
    ("tax_id", "country", "expected"),
    [
        # with a country prefix: kept, whatever the address
        ("BE0123456749", "BE", "BE0123456749"),
        ("be 0123.456-749", None, "BE0123456749"),
        ("FR 96 552 100 554", "BE", "FR96552100554"),
        ("ATU12345678", "AT", "ATU12345678"),
        ("XI123456789", "GB", "XI123456789"),
        ("BE023456749", "BE", None),
        # and completed if digits are left out
        ("BE123456749", "BE", "BE0123456749"),
        ("SE5560360793", "SE", "SE556036079301"),
        ("SE556036079301", "SE", "SE556036079301"),
        ("SE55603607", "SE", None),
        ("SE55603607X3", "SE", None),
        ("SE５５６０３６０７９３", "SE", None),  # digits, but not of ASCII
        # Greece is EL in VAT ids
        ("EL094259216", "GR", "EL094259216"),
        ("GR094259216", "GR", "EL094259216"),
        ("094259216", "GR", "EL094259216"),
        # without a prefix: constructed as the country does
        ("123456749", "BE", "BE0123456749"),
        ("0123456749", "BE", "BE0123456749"),
        ("12345674", "BE", None),
        ("12345674X", "BE", None),
        ("１２３４５６７４９", "BE", None),
        ("5560360793", "SE", "SE556036079301"),
        ("556036079301", "SE", "SE556036079301"),
        ("55603607930", "SE", None),
        ("552100554", "FR", "FR96552100554"),
        ("55210055400013", "FR", "FR96552100554"),
        ("96552100554", "FR", "FR96552100554"),
        ("732829320", "FR", "FR44732829320"),
        ("123456789B01", "NL", "NL123456789B01"),
        ("1234.56.789.B.01", "NL", "NL123456789B01"),
        ("12345678", "NL", None),
        ("123456789", "NL", None),
        ("100123456700003", "AE", "AE100123456700003"),
        ("300123456700003", "SA", "SA300123456700003"),
        ("B12345674", "ES", "ESB12345674"),
        ("U12345678", "AT", "ATU12345678"),
        # nothing to construct it from
        ("123456749", None, None),
        ("", "BE", None),
        (" -./ ", "BE", None),
    ],
)
def test_a_tax_id_becomes_a_vat_id(tax_id, country, expected):
    """Each rule of decisions 17.5 and 31.1, with values just outside it."""
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
def test_a_prefix_is_a_country_code(value, expected):
    """Decisions 17.3: two letters are a prefix only if they are a country code, EL or XI."""
    assert country_prefix(value) == expected


@pytest.mark.parametrize(
    "blank", [" ", "\t", "\u00a0", "\u2009", "\u202f", "\u3000", ".", "-", "/"]
)
def test_white_space_and_separators_are_removed(blank):
    assert compact(f"be{blank}0123{blank}456749") == "BE0123456749"


@pytest.mark.parametrize("siren", ["552100554", "732829320", "380129866", "542065479"])
def test_the_key_of_a_french_vat_id_is_correct(siren):
    """Numbers of real companies, checked by an independent implementation."""
    assert tva.is_valid(vat_id(siren, "FR"))
