"""Invoice → UBL 2.1 in bytes. Which elements the document has is described in einvoice/binding."""

from __future__ import annotations

import re

from einvoice.binding import ubl
from einvoice.documents.ubl.names import CAC, CBC, CREDIT_NOTE, INVOICE
from einvoice.documents.ubl.text import TextBuilder
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import DocumentKind, Invoice

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PREFIXES = f'xmlns:cac="{CAC}" xmlns:cbc="{CBC}"'
_ROOTS = {
    DocumentKind.INVOICE: ("Invoice", f'xmlns="{INVOICE}" {_PREFIXES}'),
    DocumentKind.CREDIT_NOTE: ("CreditNote", f'xmlns="{CREDIT_NOTE}" {_PREFIXES}'),
}
# Everything outside the production Char of XML 1.0.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document_xml(invoice: Invoice) -> bytes:
    """The document as UTF-8, ready for the wire.

    Raises InvalidField when a text holds a character that XML 1.0 cannot carry; the message
    names the element and the text.
    """
    build = TextBuilder(*_ROOTS[invoice.kind], invoice.currency)
    ubl.describe(build, invoice)
    body = build.finished()
    document = f"{_DECLARATION}{body}\n"
    if not body.isprintable():  # a fast no: printable text is always XML text
        _refuse_forbidden(body)
    return document.encode()


def _refuse_forbidden(body: str) -> None:
    match = _FORBIDDEN.search(body)
    if match is None:
        return
    element = body[: match.start()].rpartition("<")[2].partition(">")[0].partition(" ")[0]
    before, after = body[: match.start()].rpartition(">")[2], body[match.end() :].partition("<")[0]
    around = f"{before[-20:]}{match[0]}{after[:20]}"
    raise InvalidField(
        [
            FieldError(
                "/invoice",
                "forbidden-character",
                f"the text {around!r} (to be written as {element}) holds the character "
                f"U+{ord(match[0]):04X}, which XML cannot carry",
            )
        ]
    )
