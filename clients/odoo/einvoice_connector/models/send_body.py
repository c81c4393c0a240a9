"""The body of a send of a posted invoice or credit note."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from odoo import _
from odoo.exceptions import UserError

Json = dict[str, Any]
# Codes of UN/ECE Recommendation 20 for units of Odoo, by external id; other units are pieces.
UNITS = {
    "uom.product_uom_hour": "HUR",
    "uom.product_uom_day": "DAY",
    "uom.product_uom_kgm": "KGM",
    "uom.product_uom_gram": "GRM",
    "uom.product_uom_ton": "TNE",
    "uom.product_uom_litre": "LTR",
    "uom.product_uom_meter": "MTR",
    "uom.product_uom_km": "KMT",
    "uom.product_uom_dozen": "DZN",
}


def body_of(move) -> Json:
    """The send; totals are those that Odoo has rounded."""
    company = move.company_id
    receiver = move.commercial_partner_id.einvoice_participant_id
    if not receiver:
        raise UserError(_("%s has no participant id.", move.commercial_partner_id.display_name))
    return {
        "invoice": _stated(
            number=move.name,
            type="creditNote" if move.move_type == "out_refund" else "invoice",
            issueDate=move.invoice_date.isoformat(),
            dueDate=move.invoice_date_due and move.invoice_date_due.isoformat(),
            currency=move.currency_id.name,
            buyerReference=move.ref or move.name,
            precedingInvoice=_preceding(move.reversed_entry_id),
            supplier=_party(company.partner_id),
            buyer=_party(move.commercial_partner_id),
            paymentMeans=_payment(move),
            lineItems=[
                _line(line) for line in move.invoice_line_ids if line.display_type == "product"
            ],
            totals={
                "subtotal": _amount(move.amount_untaxed),
                "taxAmount": _amount(move.amount_tax),
                "grandTotal": _amount(move.amount_total),
            },
        ),
        "routing": {
            "senderParticipantId": company.einvoice_participant_id,
            "receiverParticipantId": receiver,
        },
        "options": {"totals": "rounded"},
    }


def _party(partner) -> Json:
    address = _stated(
        line1=partner.street,
        line2=partner.street2,
        city=partner.city,
        postalCode=partner.zip,
        countryCode=partner.country_id.code,
    )
    return _stated(
        name=partner.name,
        taxId=partner.vat,
        companyId=partner.company_registry,
        address=address,
    )


def _line(line) -> Json:
    """A line with its net price; with a discount or a price with tax, the sum of the line."""
    rates = line.tax_ids.flatten_taxes_hierarchy()
    if len(rates) > 1 or any(rate.amount_type != "percent" for rate in rates):
        raise UserError(_("The line %s has more than one VAT rate.", line.name))
    price = {"unitPrice": _amount(line.price_unit, 6)}
    if line.discount or rates.price_include or line.price_unit < 0:
        price = {
            "unitPrice": _amount(abs(line.price_subtotal)),
            "priceBaseQuantity": _amount(abs(line.quantity), 6),
        }
    quantity = line.quantity if line.price_unit >= 0 else -line.quantity
    return {
        "description": line.name or line.product_id.display_name,
        "quantity": _amount(quantity, 6),
        "unitCode": UNITS.get(line.product_uom_id.get_external_id().get(line.product_uom_id.id))
        or "C62",
        "taxRate": _amount(rates.amount if rates else 0),
        **price,
    }


def _payment(move) -> Json:
    account = move.partner_bank_id.sanitized_acc_number
    if not account or move.move_type == "out_refund":
        return {}
    return {"method": "30", "iban": account, "reference": move.payment_reference or move.name}


def _preceding(move) -> Json:
    return {"number": move.name, "issueDate": move.invoice_date.isoformat()} if move else {}


def _stated(**members: object) -> Json:
    return {name: value for name, value in members.items() if value}


def _amount(value: float, digits: int = 2) -> Decimal:
    """The number that Odoo shows, without the noise of binary fractions."""
    return Decimal(f"{value:.{digits}f}")
