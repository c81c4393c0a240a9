"""Elements of UBL that the core invoice does not use (UBL-CR): warnings, most from a table."""

from __future__ import annotations

from pathlib import Path

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import Row, absent
from einvoice.rules.view import View

unused = Chapter(Layer.CEN_UBL, gathers=("cac:AdditionalDocumentReference",))


def _rows() -> list[Row]:
    table = Path(__file__).with_name("unused.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in table if not line.startswith("#")]
    return [(rule, "", _both_lines(path)) for rule, path in rows[1:]]


def _both_lines(path: str) -> str:
    """The path with LINE replaced by the lines of invoices and of credit notes."""
    if not path.startswith("LINE/"):
        return path
    below = path.removeprefix("LINE")
    return f"cac:InvoiceLine{below} | cac:CreditNoteLine{below}"


absent(unused, contexts.DOCUMENT_USE, _rows())


@unused.rule(
    "UBL-CR-002", "", at=contexts.DOCUMENT_USE, flag=Flag.WARNING, kind=Kind.ABSENCE,
    present=("cbc:UBLVersionID",), path="cbc:UBLVersionID",
)  # fmt: skip
def ubl_version_is_2_1(invoice: Node, _: View) -> Values | None:
    """A UBL version, if given, is 2.1."""
    return None if "2.1" in invoice.texts("cbc:UBLVersionID") else BROKEN


@unused.rule(
    "UBL-CR-412", "BT-9", at=contexts.DOCUMENT_USE, flag=Flag.WARNING, kind=Kind.ABSENCE,
    present=("cac:PaymentMeans/cbc:PaymentDueDate",), path="cac:PaymentMeans/cbc:PaymentDueDate",
)  # fmt: skip
def due_date_of_an_invoice_is_not_in_payment_means(invoice: Node, _: View) -> Values | None:
    """Only a credit note has the due date (BT-9) in the payment means."""
    return None if invoice.name == "cn:CreditNote" else BROKEN


_DOCUMENT = "//cac:AdditionalDocumentReference"


@unused.rule(
    "UBL-CR-665", "BT-122", at=contexts.DOCUMENT_USE, flag=Flag.WARNING, kind=Kind.ABSENCE,
    present=(f"{_DOCUMENT}/cbc:ID/@schemeID",), path=f"{_DOCUMENT}/cbc:ID/@schemeID",
)  # fmt: skip
def supporting_document_has_no_scheme(_: Node, view: View) -> Values | None:
    """Only the reference to the invoiced object (BT-18) has a scheme."""
    for reference in view.everywhere("cac:AdditionalDocumentReference"):
        codes = reference.texts("cbc:DocumentTypeCode")
        if (not codes or any(code != "130" for code in codes)) and any(
            "schemeID" in identifier.attributes for identifier in reference.all("cbc:ID")
        ):
            return BROKEN
    return None


def _invoiced_object_has(path: str, view: View) -> Values | None:
    for reference in view.everywhere("cac:AdditionalDocumentReference"):
        if "130" in reference.texts("cbc:DocumentTypeCode") and reference.has(path):
            return BROKEN
    return None


@unused.rule(
    "UBL-CR-666", "BT-18 BT-125", at=contexts.DOCUMENT_USE, kind=Kind.ABSENCE,
    present=(f"{_DOCUMENT}/cac:Attachment",), path=f"{_DOCUMENT}/cac:Attachment",
)  # fmt: skip
def invoiced_object_has_no_attachment(_: Node, view: View) -> Values | None:
    """The reference to the invoiced object (BT-18) has no attachment (BT-125)."""
    return _invoiced_object_has("cac:Attachment", view)


@unused.rule(
    "UBL-CR-673", "BT-18 BT-123", at=contexts.DOCUMENT_USE, kind=Kind.ABSENCE,
    present=(f"{_DOCUMENT}/cbc:DocumentDescription",), path=f"{_DOCUMENT}/cbc:DocumentDescription",
)  # fmt: skip
def invoiced_object_has_no_description(_: Node, view: View) -> Values | None:
    """The reference to the invoiced object (BT-18) has no description (BT-123)."""
    return _invoiced_object_has("cbc:DocumentDescription", view)
