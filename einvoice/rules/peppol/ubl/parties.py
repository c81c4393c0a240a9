"""Seller and buyer: electronic addresses, and identifiers with a form or check digits."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.peppol.ubl.identifiers import (
    ESTABLISHMENT,
    IDENTIFIERS,
    ITALIAN_ADDRESS,
    add_identifiers,
    add_vat_number,
    dutch_vat_number_has_its_form,
)
from einvoice.rules.tables import present
from einvoice.rules.view import View

parties = Chapter(Layer.PEPPOL_UBL)

present(parties, contexts.BUYER, [("PEPPOL-EN16931-R010", "BT-49", "cbc:EndpointID")])
present(parties, contexts.SELLER, [("PEPPOL-EN16931-R020", "BT-34", "cbc:EndpointID")])

_SCHEMES = code_list("eas_peppol")


@parties.rule("PEPPOL-EN16931-CL008", "BT-34-1 BT-49-1", at=contexts.ENDPOINT_SCHEME,
              kind=Kind.CODE_LIST, list="eas_peppol", path="@schemeID")  # fmt: skip
def endpoint_scheme_is_a_code(endpoint: Node, _: View) -> Values | None:
    """The scheme of an electronic address (BT-34-1, BT-49-1) is one of the Peppol list."""
    scheme = endpoint.attributes.get("schemeID")
    return None if scheme is None or scheme in _SCHEMES else {"code": scheme}


add_identifiers(parties, IDENTIFIERS, contexts.IDENTIFIER.case)
add_identifiers(parties, [ITALIAN_ADDRESS], contexts.ENDPOINT.case)
add_identifiers(parties, [ESTABLISHMENT], contexts.DUTCH_ESTABLISHMENT.case)
add_vat_number(parties, contexts.DUTCH_VAT_NUMBER, dutch_vat_number_has_its_form)
