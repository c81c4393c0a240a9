"""Slovakia, SK-R-*: the preceding invoice of a correction, and complete addresses.

All are warnings, hold between Slovak parties only, and are in force from BIS Billing 3.0.22 on.
SK-R-001 determines a country by the VAT number (as NO, IT, GR), the others by the address. Peppol
publishes these rules for UBL only.
"""

from __future__ import annotations

from einvoice.rules.evaluation_errors import both
from einvoice.rules.national.parties_ubl import (
    buyer_address,
    buyer_country,
    seller_address,
    seller_country,
)
from einvoice.rules.view import View

SLOVAKIA = "SK"


def between_slovaks(view: View) -> bool:
    """Whether seller and buyer are Slovak, by VAT number, else address. Raises MoreThanOneItem.

    The VAT number of the tax representative comes before the address of the seller.
    """
    return both(
        lambda: view.once(seller_country) == SLOVAKIA, lambda: view.once(buyer_country) == SLOVAKIA
    )


def between_slovak_addresses(view: View) -> bool:
    """Whether the addresses of seller and buyer are Slovak. Raises MoreThanOneItem."""
    return both(
        lambda: view.once(seller_address) == SLOVAKIA, lambda: view.once(buyer_address) == SLOVAKIA
    )
