"""The webhook of a company: states of invoices, and bills that have arrived."""

from __future__ import annotations

import json

from einvoice_client import NotAuthentic, verify

from odoo import http
from odoo.http import request


class Webhook(http.Controller):
    @http.route(
        "/einvoice/webhook/<int:company_id>",
        type="http",
        auth="public",
        methods=["POST"],
        csrf=False,
        save_session=False,
    )
    def receive(self, company_id: int) -> http.Response:
        """The subject of an event is read at the service, so that any order of events is right."""
        company = request.env["res.company"].sudo().browse(company_id).exists()
        if not company.einvoice_signing_secret:
            return request.make_json_response({"error": "no such webhook"}, status=404)
        body = request.httprequest.get_data()
        try:
            event = verify(
                dict(request.httprequest.headers),
                body,
                company.einvoice_signing_secret,
                secret=company.einvoice_secret or None,
            )
        except (NotAuthentic, json.JSONDecodeError) as reason:
            return request.make_json_response({"error": str(reason)}, status=401)
        moves = request.env["account.move"].sudo().with_company(company)
        if event["eventType"] == "transaction.received":
            moves._einvoice_fetch_of(company)
        elif event.get("invoiceId"):
            own = [("company_id", "=", company.id), ("einvoice_id", "=", event["invoiceId"])]
            moves.search(own).action_einvoice_refresh()
        return request.make_json_response({"taken": True})
