"""Invoices are sent, their states come back, and bills are booked once, at a running service.

EINVOICE and KEY name the service and a key of its sandbox; without them nothing is tested.
"""

from __future__ import annotations

import json
import os
import time
import unittest
import unittest.mock
from uuid import uuid4

from einvoice_client import Client
from einvoice_client.webhooks import sign

from odoo.exceptions import UserError
from odoo.tests import HttpCase, tagged

SERVICE, KEY = os.environ.get("EINVOICE", ""), os.environ.get("KEY", "")
OWN, DELIVERING, REJECTING = "0208:0123456749", "0088:9520000000004", "0088:9520000000059"
SIGNING = "whsec_a2V5"


@tagged("post_install", "-at_install", "einvoice")
@unittest.skipUnless(SERVICE and KEY, "EINVOICE and KEY name no service")
class TestJourney(HttpCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.company = cls.env.company
        cls.taxes = [
            cls.env["account.tax"].create(
                {"name": f"21 % {use}", "amount": 21, "type_tax_use": use}
            )
            for use in ("sale", "purchase")
        ]
        belgium = cls.env.ref("base.be")
        cls.company.write(
            {
                "einvoice_url": SERVICE,
                "einvoice_key": KEY,
                "einvoice_participant_id": OWN,
                "einvoice_signing_secret": SIGNING,
                "einvoice_when_posted": True,
            }
        )
        cls.company.partner_id.write(
            {"name": "Example NV", "vat": "BE0123456749", "country_id": belgium.id}
        )
        cls.buyer = cls.env["res.partner"].create(
            {
                "name": "Sandbox Buyer",
                "is_company": True,
                "country_id": belgium.id,
                "einvoice_participant_id": DELIVERING,
            }
        )
        cls.client = Client(SERVICE, KEY)
        cls.addClassCleanup(cls.client.close)

    def invoice(self, *lines, kind="out_invoice", **changes):
        values = [
            {"name": name, "quantity": quantity, "price_unit": price, "discount": discount}
            for name, quantity, price, discount in lines
        ]
        made = self.env["account.move"].create(
            {
                "move_type": kind,
                "partner_id": self.buyer.id,
                "invoice_date": "2026-11-21",
                "invoice_line_ids": [
                    (0, 0, {**each, "tax_ids": self.taxes[0].ids}) for each in values
                ],
                **changes,
            }
        )
        made.action_post()
        return made

    def settled(self, move):
        for _ in range(120):
            move.action_einvoice_refresh()
            if move.einvoice_state != "processing":
                break
            time.sleep(0.5)
        return move.einvoice_state

    def test_posted_invoices_are_sent_once_with_the_totals_of_odoo(self):
        """Halves of cents, a discount, and a credit note."""
        lines = (("Hours", 7.75, 83.33, 0), ("Licence", 3, 19.99, 12.5))
        move = self.invoice(*lines)
        credit = self.invoice(*lines, kind="out_refund", reversed_entry_id=move.id)
        self.assertEqual((move | credit).mapped("einvoice_state"), ["to_send", "to_send"])

        self.env["account.move"]._einvoice_send_due()
        found = (move | credit).mapped("einvoice_id")
        self.assertEqual((move | credit).mapped("einvoice_message"), [False, False])
        for each in move | credit:
            each._einvoice_send()
        self.assertEqual((move | credit).mapped("einvoice_id"), found)
        self.assertEqual([self.settled(each) for each in move | credit], ["delivered"] * 2)
        said = self.client.content(move.einvoice_id)["invoice"]["totals"]["grandTotal"]
        self.assertEqual(round(float(said), 2), round(move.amount_total, 2))

    def test_a_refusal_says_what_to_do_and_a_rejection_by_the_network_why(self):
        self.buyer.einvoice_participant_id = "9999:nobody"
        with self.assertRaises(UserError) as refused:
            self.invoice(("Hours", 1, 10, 0)).action_einvoice_send()
        self.assertTrue(str(refused.exception))

        self.buyer.einvoice_participant_id = REJECTING
        move = self.invoice(("Hours", 1, 10, 0))
        self.env["account.move"]._einvoice_send_due()
        self.assertEqual(self.settled(move), "failed")
        self.assertTrue(move.einvoice_message)

    def test_a_service_that_is_away_leaves_the_invoice_to_the_next_run(self):
        move = self.invoice(("Hours", 1, 10, 0))
        self.company.einvoice_url = "http://127.0.0.1:9"
        with unittest.mock.patch("time.sleep"):
            self.env["account.move"]._einvoice_send_due()
        self.assertEqual(move.einvoice_state, "to_send")
        self.company.einvoice_url = SERVICE
        self.env["account.move"]._einvoice_send_due()
        self.assertTrue(move.einvoice_id)

    def arrived(self, number):
        body = {
            "invoice": {
                "number": number,
                "issueDate": "2026-11-20",
                "currency": "EUR",
                "buyerReference": "PO-1",
                "supplier": {"name": "Seller BV", "taxId": "BE0403019261"},
                "buyer": {"name": "Example NV", "taxId": "BE0123456749"},
                "lineItems": [
                    {"description": "Paper", "quantity": 4, "unitPrice": 2.5, "taxRate": 21}
                ],
                "totals": {"subtotal": 10, "taxAmount": 2.1, "grandTotal": 12.1},
            },
            "routing": {"senderParticipantId": "0208:0403019261", "receiverParticipantId": OWN},
        }
        return self.client.request("POST", "/api/sandbox/inbound", body=body)["invoiceId"]

    def test_a_bill_is_booked_once_with_its_supplier_and_vat(self):
        number = f"S-{uuid4().hex[:8]}"
        arrived = self.arrived(number)
        self.env["account.move"]._einvoice_fetch_bills()
        self.env["account.move"]._einvoice_fetch_bills()
        bill = self.env["account.move"].search([("einvoice_id", "=", arrived)])

        self.assertEqual((len(bill), bill.ref, bill.move_type), (1, number, "in_invoice"))
        self.assertEqual((bill.state, bill.partner_id.vat), ("draft", "BE0403019261"))
        self.assertEqual((bill.amount_untaxed, bill.amount_total), (10, 12.1))
        self.assertTrue(self.client.request("GET", f"/api/invoices/{arrived}")["processedAt"])

    def post(self, event, secret=SIGNING):
        body = json.dumps(event).encode()
        headers = sign(body, "evt_1", secret, at=int(time.time()))
        return self.url_open(f"/einvoice/webhook/{self.company.id}", data=body, headers=headers)

    def test_the_webhook_takes_authentic_events_only(self):
        move = self.invoice(("Hours", 1, 10, 0))
        self.env["account.move"]._einvoice_send_due()
        event = {"eventType": "transaction.sent", "invoiceId": move.einvoice_id}
        self.assertEqual(self.post(event, "whsec_b3RoZXI=").status_code, 401)
        self.assertEqual(self.post(event).status_code, 200)
        arrived = self.arrived(f"W-{uuid4().hex[:8]}")
        received = {"eventType": "transaction.received", "invoiceId": arrived}
        self.assertEqual(self.post(received).status_code, 200)
        found = self.env["account.move"].search_count([("einvoice_id", "=", arrived)])
        self.assertEqual(found, 1)
