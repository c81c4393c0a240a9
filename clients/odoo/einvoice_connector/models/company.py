"""The connection of a company to the service."""

from __future__ import annotations

from einvoice_client import Client

from odoo import _, fields, models
from odoo.exceptions import UserError


class ResCompany(models.Model):
    _inherit = "res.company"

    einvoice_url = fields.Char("Address of the service")
    einvoice_key = fields.Char("API key", groups="base.group_system", copy=False)
    einvoice_participant_id = fields.Char("Participant id", help="Such as 0208:0123456749.")
    einvoice_when_posted = fields.Boolean("Send invoices when they are posted")
    einvoice_secret = fields.Char("Webhook secret", groups="base.group_system", copy=False)
    einvoice_signing_secret = fields.Char(
        "Webhook signing secret", groups="base.group_system", copy=False
    )

    def _einvoice_client(self) -> Client:
        """A client of the service with the key of the company."""
        found = self.sudo()
        if not (found.einvoice_url and found.einvoice_key and found.einvoice_participant_id):
            raise UserError(
                _("Enter address, key and participant id of the company %s first.", found.name)
            )
        return Client(found.einvoice_url, found.einvoice_key)

    def _einvoice_connected(self):
        """The companies that have a connection."""
        return self.sudo().search([("einvoice_url", "!=", False), ("einvoice_key", "!=", False)])
