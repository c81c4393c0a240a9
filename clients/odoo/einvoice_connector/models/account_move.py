"""Invoices are sent, and say how far they are."""

from __future__ import annotations

import logging

from einvoice_client import EinvoiceError, Problem, RateLimited, Unavailable

from odoo import _, api, fields, models, modules
from odoo.exceptions import UserError

from .send_body import body_of

_logger = logging.getLogger(__name__)
_SENDABLE = ("out_invoice", "out_refund")
_AT_ONCE = 50  # invoices of one run of the job


class AccountMove(models.Model):
    _inherit = "account.move"

    einvoice_id = fields.Char("Id at the service", copy=False, readonly=True, index=True)
    einvoice_message = fields.Char("What was answered", copy=False, readonly=True)
    einvoice_state = fields.Selection(
        [
            ("to_send", "To be sent"),
            ("processing", "On its way"),
            ("delivered", "Delivered"),
            ("failed", "Failed"),
            ("refused", "Refused: to be corrected"),
            ("received", "Received"),
        ],
        "E-invoice",
        copy=False,
        readonly=True,
    )
    einvoice_response = fields.Char("Response of the buyer", copy=False, readonly=True)
    _einvoice_once = models.UniqueIndex("(company_id, einvoice_id) WHERE einvoice_id IS NOT NULL")

    def _post(self, soft=True):
        """Posted invoices to partners with a participant id are sent by the job."""
        posted = super()._post(soft)
        posted.filtered(lambda move: move._einvoice_is_for_network()).einvoice_state = "to_send"
        return posted

    def _einvoice_is_for_network(self) -> bool:
        wanted = self.company_id.einvoice_when_posted and not self.einvoice_id
        receiver = self.commercial_partner_id.einvoice_participant_id
        return bool(wanted and receiver and self.move_type in _SENDABLE)

    def action_einvoice_send(self):
        """Send now. A refusal is shown, and nothing is stored of it."""
        for move in self:
            if move.state != "posted" or move.move_type not in _SENDABLE:
                raise UserError(_("Only posted invoices and credit notes are sent."))
            try:
                move._einvoice_send()
            except Problem as problem:
                raise UserError(_words(problem)) from problem
            except EinvoiceError as error:
                raise UserError(_("The service does not answer; try again: %s", error)) from error

    def action_einvoice_refresh(self):
        """Ask how far the invoices are."""
        for move in self.filtered("einvoice_id"):
            move._einvoice_refresh()

    def _einvoice_send(self) -> None:
        """Send once, however often it is called: the key is of the database and the invoice."""
        self.ensure_one()
        database = self.env["ir.config_parameter"].sudo().get_param("database.uuid")
        body = body_of(self)
        with self.company_id._einvoice_client() as client:
            receiver = client.look_up(body["routing"]["receiverParticipantId"])
            if receiver.access_point_ref:
                body["routing"]["accessPointRef"] = str(receiver.access_point_ref)
            sent = client.send(body, idempotency_key=f"odoo-{database}-{self.id}", wait=0)
        self.write({"einvoice_id": str(sent.invoice_id), "einvoice_message": False})
        self._einvoice_set_status(str(sent.network_status))

    def _einvoice_refresh(self) -> None:
        """Take over the status and the buyer's response."""
        with self.company_id._einvoice_client() as client:
            found = client.request("GET", f"/api/invoices/{self.einvoice_id}")
        self.einvoice_message = found["failureReason"]
        self.einvoice_response = (found["response"] or {}).get("status")
        self._einvoice_set_status(found["networkStatus"])

    def _einvoice_set_status(self, status: str) -> None:
        state = status.lower()
        if state in dict(self._fields["einvoice_state"].selection) and state != self.einvoice_state:
            self.einvoice_state = state
            self.message_post(body=_("E-invoice: %s", status))

    @api.model
    def _einvoice_send_due(self) -> None:
        """The job: send what is to be sent; what cannot be sent now stays for the next run."""
        due = self.search([("einvoice_state", "=", "to_send"), ("state", "=", "posted")])
        for move in due[:_AT_ONCE]:
            try:
                move._einvoice_send()
            except (Unavailable, RateLimited) as error:
                _logger.info("einvoice: %s waits: %s", move.name, error)
            except (Problem, UserError) as refusal:
                words = _words(refusal) if isinstance(refusal, Problem) else str(refusal)
                move.write({"einvoice_state": "refused", "einvoice_message": words})
                move.message_post(body=_("E-invoice refused: %s", words))
            except EinvoiceError as error:
                _logger.info("einvoice: %s waits: %s", move.name, error)
            self.env["account.move"]._einvoice_keep()

    @api.model
    def _einvoice_keep(self) -> None:
        """Commit what one document made; tests are one transaction."""
        if not modules.module.current_test:
            self.env.cr.commit()


def _words(problem: Problem) -> str:
    """The fault, and the remedy."""
    return " ".join(filter(None, (problem.detail, problem.what_to_do)))
