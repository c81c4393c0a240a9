"""The type of a document (BT-3): codes of UNTDID 1001, and the kind of document that each is.

`type` of a send names the kind, `typeCode` the code; either follows from the other. The codes are
those of EN 16931 (BR-CL-01) and 480 of PINT AE; which of them a network takes is decided by the
rules of its profile.

>>> kind_of({"typeCode": "384"}).value, kind_of({"typeCode": "261"}).value
('invoice', 'selfBilledCreditNote')
>>> type_code({"typeCode": "326"}), type_code({"type": "creditNote"})
('326', '381')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import DocumentKind

if TYPE_CHECKING:
    from einvoice.domain.request import InvoiceRequest

CREDIT_NOTE_TYPES: Final = frozenset(
    ["81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "502", "503", "532"]
)
# The codes of documents that UBL writes as an Invoice; 81 is in both lists of BR-CL-01.
_INVOICE_TYPES = """
    71 80 81 82 84 102 130 202 203 204 211 218 219 295 325 326 331 380 382 383 384 385 386 387
    480 388 389 390 393 394 395 456 457 471 472 473 500 501 527 553 575 623 633 751 780 817 870
    875 876 877 935
"""
INVOICE_TYPES: Final = frozenset(_INVOICE_TYPES.split())
TYPE_CODES: Final = tuple(sorted(INVOICE_TYPES | CREDIT_NOTE_TYPES, key=int))
DEFAULTS: Final = {
    DocumentKind.INVOICE: "380",
    DocumentKind.CREDIT_NOTE: "381",
    DocumentKind.SELF_BILLED_INVOICE: "389",
    DocumentKind.SELF_BILLED_CREDIT_NOTE: "261",
}


def kind_of(request: InvoiceRequest) -> DocumentKind:
    """The kind of document that a request becomes: `type`, else the kind of its `typeCode`."""
    named, code = request.get("type"), request.get("typeCode")
    if named or not code:
        return DocumentKind(named or DocumentKind.INVOICE)
    is_credit_note = code in CREDIT_NOTE_TYPES
    form = DocumentKind.CREDIT_NOTE if is_credit_note else DocumentKind.INVOICE
    return form.typed(code)


def type_code(request: InvoiceRequest) -> str:
    """BT-3. Raises InvalidField for a code of another kind of document than `type` names."""
    kind, code = kind_of(request), request.get("typeCode")
    if not code:
        return DEFAULTS[kind]
    if code not in codes_of(kind):
        message = f"{code!r} is not a code of type {kind}, which has {', '.join(codes_of(kind))}"
        raise InvalidField([FieldError("/invoice/typeCode", "contradicts-type", message)])
    return code


def codes_of(kind: DocumentKind) -> tuple[str, ...]:
    """The codes of a kind of document, in their order.

    >>> codes_of(DocumentKind.SELF_BILLED_INVOICE)
    ('389', '527')
    """
    form = kind.form
    codes = CREDIT_NOTE_TYPES if form is DocumentKind.CREDIT_NOTE else INVOICE_TYPES
    return tuple(code for code in TYPE_CODES if code in codes and form.typed(code) is kind)
