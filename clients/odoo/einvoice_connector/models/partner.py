"""The id under which a partner is reached."""

from __future__ import annotations

from odoo import fields, models


class ResPartner(models.Model):
    _inherit = "res.partner"

    einvoice_participant_id = fields.Char("Participant id", help="Such as 0208:0123456749.")
