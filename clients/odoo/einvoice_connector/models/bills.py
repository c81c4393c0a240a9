"""A bill that arrives becomes a draft vendor bill, once."""

from __future__ import annotations

import json
import logging
from datetime import date
from typing import Any

from einvoice_client import EinvoiceError, NotFound

from odoo import _, api, models
from odoo.exceptions import UserError

_logger = logging.getLogger(__name__)
_KINDS = {"creditNote": "in_refund", "invoice": "in_invoice"}
Json = dict[str, Any]


class AccountMove(models.Model):
    _inherit = "account.move"

    @api.model
    def _einvoice_fetch_bills(self) -> None:
        """The job: make a bill of everything that is open at the service."""
        for company in self.env["res.company"]._einvoice_connected():
            try:
                self.with_company(company)._einvoice_fetch_of(company)
            except (EinvoiceError, UserError) as error:
                _logger.info("einvoice: bills of %s wait: %s", company.name, error)

    @api.model
    def _einvoice_fetch_of(self, company) -> None:
        """The bill is stored before it is marked: after a failure in between it is found again."""
        with company._einvoice_client() as client:
            for open_bill in client.bills(processed=False):
                bill = self._einvoice_bill(company, client, str(open_bill.invoice_id))
                self._einvoice_keep()
                if bill:
                    path = f"/api/invoices/{open_bill.invoice_id}/mark-processed"
                    client.request("POST", path)

    @api.model
    def _einvoice_bill(self, company, client, invoice_id: str):
        """The bill of this id; what cannot be read as data stays open at the service."""
        known = self.search([("company_id", "=", company.id), ("einvoice_id", "=", invoice_id)])
        if known:
            return known
        try:
            content = client.content(invoice_id)
        except NotFound:
            return self.browse()
        except EinvoiceError as error:
            _logger.warning("einvoice: the bill %s is left to a person: %s", invoice_id, error)
            return self.browse()
        bill = self.create(self._einvoice_values(company, content, invoice_id))
        total = content["invoice"]["totals"]["grandTotal"]
        if bill.currency_id.compare_amounts(bill.amount_total, float(total)):
            bill.message_post(body=_("The document says %s: compare it with the bill.", total))
        self.env["ir.attachment"].create(
            {
                "name": f"{content['invoice']['number']}.json",
                "raw": json.dumps(content, ensure_ascii=False, indent=1).encode(),
                "res_model": self._name,
                "res_id": bill.id,
            }
        )
        return bill

    @api.model
    def _einvoice_values(self, company, content: Json, invoice_id: str) -> Json:
        invoice = content["invoice"]
        currency = self.env["res.currency"].with_context(active_test=False)
        return {
            "move_type": _KINDS.get(invoice.get("type", "invoice"), "in_invoice"),
            "company_id": company.id,
            "partner_id": self._einvoice_supplier(company, content).id,
            "ref": invoice["number"],
            "invoice_date": date.fromisoformat(invoice["issueDate"]),
            "invoice_date_due": invoice.get("dueDate") and date.fromisoformat(invoice["dueDate"]),
            "currency_id": currency.search([("name", "=", invoice["currency"])], limit=1).id,
            "einvoice_id": invoice_id,
            "einvoice_state": "received",
            "invoice_line_ids": [
                (0, 0, self._einvoice_line(company, line)) for line in _lines(invoice)
            ],
        }

    @api.model
    def _einvoice_supplier(self, company, content: Json):
        """The partner of this VAT number, participant id or name; a new one if there is none."""
        said = content["invoice"]["supplier"]
        participant = content["routing"].get("senderParticipantId")
        partners = self.env["res.partner"]
        for field, value in (
            ("vat", said.get("taxId")),
            ("einvoice_participant_id", participant),
            ("name", said["name"]),
        ):
            if value and (found := partners.search([(field, "=", value)], limit=1)):
                return found.commercial_partner_id
        country = (said.get("address") or {}).get("countryCode")
        return partners.create(
            {
                "name": said["name"],
                "vat": said.get("taxId"),
                "is_company": True,
                "einvoice_participant_id": participant,
                "country_id": self.env["res.country"].search([("code", "=", country)], limit=1).id,
            }
        )

    @api.model
    def _einvoice_line(self, company, line: Json) -> Json:
        """With the tax on purchases of this rate, if the company has one."""
        taxes = self.env["account.tax"].search(
            [
                *self.env["account.tax"]._check_company_domain(company),
                ("type_tax_use", "=", "purchase"),
                ("amount_type", "=", "percent"),
                ("amount", "=", float(line["taxRate"])),
            ],
            limit=1,
        )
        return {
            "name": line["description"],
            "quantity": float(line["quantity"]),
            "price_unit": _price(line),
            "tax_ids": [(6, 0, taxes.ids)],
        }


def _lines(invoice: Json) -> list[Json]:
    """The lines, and the allowances and charges of the document as lines of their own."""
    extras = [
        {
            "description": each.get("reason") or word,
            "quantity": sign,
            "unitPrice": each["amount"],
            "taxRate": each.get("taxRate", 0),
        }
        for name, word, sign in (("allowances", "Allowance", -1), ("charges", "Charge", 1))
        for each in invoice.get(name, ())
    ]
    return [*invoice["lineItems"], *extras]


def _price(line: Json) -> float:
    """The net price of a piece, with the allowances and charges of the line."""
    quantity = float(line["quantity"])
    net = quantity * float(line["unitPrice"]) / float(line.get("priceBaseQuantity") or 1)
    net -= sum(float(each["amount"]) for each in line.get("allowances", ()))
    net += sum(float(each["amount"]) for each in line.get("charges", ()))
    return net / quantity if quantity else 0.0
