from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.whole_draft_invoice import WholeDraftInvoice
  from ..models.whole_draft_routing import WholeDraftRouting





T = TypeVar("T", bound="WholeDraft")



@_attrs_define
class WholeDraft:
    """ A draft with what it holds.

     """

    draft_id: UUID
    """ The draft """
    environment: str
    """ Environment to send it in """
    number: None | str
    """ Number of the invoice, as far as it is known """
    buyer_name: None | str
    """ Name of the buyer """
    attachment_count: int
    """ How many attachments it has """
    size: int
    """ Bytes of what it holds and of its attachments """
    created_by: None | str
    """ Who began it: e-mail address or subject of the person, or id of the API key """
    created_at: datetime.datetime
    """ When it was begun """
    updated_at: datetime.datetime
    """ When it was last changed """
    kept_until: datetime.datetime
    """ When it is deleted unless it is changed before: 90 days after the last change """
    provider: str
    """ This service """
    invoice: WholeDraftInvoice
    """ The members of `invoice` as they were stored, attachments with their content """
    routing: WholeDraftRouting
    """ The members of `routing` as they were stored """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.whole_draft_invoice import WholeDraftInvoice # noqa: PLC0415
        from ..models.whole_draft_routing import WholeDraftRouting # noqa: PLC0415
        draft_id = str(self.draft_id)

        environment = self.environment

        number: None | str
        number = self.number

        buyer_name: None | str
        buyer_name = self.buyer_name

        attachment_count = self.attachment_count

        size = self.size

        created_by: None | str
        created_by = self.created_by

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        kept_until = self.kept_until.isoformat()

        provider = self.provider

        invoice = self.invoice.to_dict()

        routing = self.routing.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "draftId": draft_id,
            "environment": environment,
            "number": number,
            "buyerName": buyer_name,
            "attachmentCount": attachment_count,
            "size": size,
            "createdBy": created_by,
            "createdAt": created_at,
            "updatedAt": updated_at,
            "keptUntil": kept_until,
            "provider": provider,
            "invoice": invoice,
            "routing": routing,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.whole_draft_invoice import WholeDraftInvoice # noqa: PLC0415
        from ..models.whole_draft_routing import WholeDraftRouting # noqa: PLC0415
        d = dict(src_dict)
        draft_id = UUID(d.pop("draftId"))




        environment = d.pop("environment")

        def _parse_number(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        number = _parse_number(d.pop("number"))


        def _parse_buyer_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        buyer_name = _parse_buyer_name(d.pop("buyerName"))


        attachment_count = d.pop("attachmentCount")

        size = d.pop("size")

        def _parse_created_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        created_by = _parse_created_by(d.pop("createdBy"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        kept_until = datetime.datetime.fromisoformat(d.pop("keptUntil"))




        provider = d.pop("provider")

        invoice = WholeDraftInvoice.from_dict(d.pop("invoice"))




        routing = WholeDraftRouting.from_dict(d.pop("routing"))




        whole_draft = cls(
            draft_id=draft_id,
            environment=environment,
            number=number,
            buyer_name=buyer_name,
            attachment_count=attachment_count,
            size=size,
            created_by=created_by,
            created_at=created_at,
            updated_at=updated_at,
            kept_until=kept_until,
            provider=provider,
            invoice=invoice,
            routing=routing,
        )


        whole_draft.additional_properties = d
        return whole_draft

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
