from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.artefact_record import ArtefactRecord
  from ..models.content_response_invoice import ContentResponseInvoice
  from ..models.content_response_options import ContentResponseOptions
  from ..models.content_response_routing import ContentResponseRouting
  from ..models.not_carried_over import NotCarriedOver
  from ..models.vat_row import VatRow





T = TypeVar("T", bound="ContentResponse")



@_attrs_define
class ContentResponse:
    """ The content of an invoice as the body of a send.

     """

    invoice_id: UUID
    """ The invoice """
    direction: str
    """ sent or received """
    syntax: str
    """ Syntax of the document that was read: ubl or cii """
    invoice: ContentResponseInvoice
    """ As `invoice` of POST /api/invoices/send; `attachments` without `content`, in the order of the attachments
    below """
    routing: ContentResponseRouting
    """ As `routing` of a send: the ids of the parties, if they have any """
    options: ContentResponseOptions
    """ As `options` of a send: the rule of totals under which it holds, if that is not `exact` """
    vat_breakdown: list[VatRow]
    """ Its VAT breakdown """
    not_carried_over: list[NotCarriedOver]
    """ What of the document no member says """
    attachments: list[ArtefactRecord]
    """ Its attached files, which are artefacts of the type ATTACHMENT """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.artefact_record import ArtefactRecord # noqa: PLC0415
        from ..models.content_response_invoice import ContentResponseInvoice # noqa: PLC0415
        from ..models.content_response_options import ContentResponseOptions # noqa: PLC0415
        from ..models.content_response_routing import ContentResponseRouting # noqa: PLC0415
        from ..models.not_carried_over import NotCarriedOver # noqa: PLC0415
        from ..models.vat_row import VatRow # noqa: PLC0415
        invoice_id = str(self.invoice_id)

        direction = self.direction

        syntax = self.syntax

        invoice = self.invoice.to_dict()

        routing = self.routing.to_dict()

        options = self.options.to_dict()

        vat_breakdown = []
        for vat_breakdown_item_data in self.vat_breakdown:
            vat_breakdown_item = vat_breakdown_item_data.to_dict()
            vat_breakdown.append(vat_breakdown_item)



        not_carried_over = []
        for not_carried_over_item_data in self.not_carried_over:
            not_carried_over_item = not_carried_over_item_data.to_dict()
            not_carried_over.append(not_carried_over_item)



        attachments = []
        for attachments_item_data in self.attachments:
            attachments_item = attachments_item_data.to_dict()
            attachments.append(attachments_item)



        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoiceId": invoice_id,
            "direction": direction,
            "syntax": syntax,
            "invoice": invoice,
            "routing": routing,
            "options": options,
            "vatBreakdown": vat_breakdown,
            "notCarriedOver": not_carried_over,
            "attachments": attachments,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.artefact_record import ArtefactRecord # noqa: PLC0415
        from ..models.content_response_invoice import ContentResponseInvoice # noqa: PLC0415
        from ..models.content_response_options import ContentResponseOptions # noqa: PLC0415
        from ..models.content_response_routing import ContentResponseRouting # noqa: PLC0415
        from ..models.not_carried_over import NotCarriedOver # noqa: PLC0415
        from ..models.vat_row import VatRow # noqa: PLC0415
        d = dict(src_dict)
        invoice_id = UUID(d.pop("invoiceId"))




        direction = d.pop("direction")

        syntax = d.pop("syntax")

        invoice = ContentResponseInvoice.from_dict(d.pop("invoice"))




        routing = ContentResponseRouting.from_dict(d.pop("routing"))




        options = ContentResponseOptions.from_dict(d.pop("options"))




        vat_breakdown = []
        _vat_breakdown = d.pop("vatBreakdown")
        for vat_breakdown_item_data in (_vat_breakdown):
            vat_breakdown_item = VatRow.from_dict(vat_breakdown_item_data)



            vat_breakdown.append(vat_breakdown_item)


        not_carried_over = []
        _not_carried_over = d.pop("notCarriedOver")
        for not_carried_over_item_data in (_not_carried_over):
            not_carried_over_item = NotCarriedOver.from_dict(not_carried_over_item_data)



            not_carried_over.append(not_carried_over_item)


        attachments = []
        _attachments = d.pop("attachments")
        for attachments_item_data in (_attachments):
            attachments_item = ArtefactRecord.from_dict(attachments_item_data)



            attachments.append(attachments_item)


        provider = d.pop("provider")

        content_response = cls(
            invoice_id=invoice_id,
            direction=direction,
            syntax=syntax,
            invoice=invoice,
            routing=routing,
            options=options,
            vat_breakdown=vat_breakdown,
            not_carried_over=not_carried_over,
            attachments=attachments,
            provider=provider,
        )


        content_response.additional_properties = d
        return content_response

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
