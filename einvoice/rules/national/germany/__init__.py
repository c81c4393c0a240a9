"""Germany, DE-R-*: what German buyers require in invoices between German parties.

The rules apply where the addresses of seller and buyer are German. Two rules of the Peppol layer
itself depend on the same condition. Peppol publishes these rules for UBL only.
"""

from __future__ import annotations

from einvoice.rules.evaluation_errors import both
from einvoice.rules.national.parties_ubl import buyer_address, seller_address
from einvoice.rules.view import View


def between_germans(view: View) -> bool:
    """Whether the addresses of seller and buyer are German. Raises MoreThanOneItem."""
    return both(lambda: view.once(seller_address) == "DE", lambda: view.once(buyer_address) == "DE")
