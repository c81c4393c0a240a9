from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.draft_changes_invoice_type_0 import DraftChangesInvoiceType0
  from ..models.draft_changes_routing_type_0 import DraftChangesRoutingType0





T = TypeVar("T", bound="DraftChanges")



@_attrs_define
class DraftChanges:
    """ The content of a draft. It replaces all that the draft held before, its attachments too.

     """

    invoice: DraftChangesInvoiceType0 | None | Unset = UNSET
    """ The members of `invoice` of the body of POST /api/invoices/send, as far as they are known. They are not
    judged before the invoice is checked or sent, except for attachments; at most 1,048,576 bytes without those. """
    routing: DraftChangesRoutingType0 | None | Unset = UNSET
    """ The members of `routing` of the body of POST /api/invoices/send, as far as they are known. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.draft_changes_invoice_type_0 import DraftChangesInvoiceType0 # noqa: PLC0415
        from ..models.draft_changes_routing_type_0 import DraftChangesRoutingType0 # noqa: PLC0415
        invoice: dict[str, Any] | None | Unset
        if isinstance(self.invoice, Unset):
            invoice = UNSET
        elif isinstance(self.invoice, DraftChangesInvoiceType0):
            invoice = self.invoice.to_dict()
        else:
            invoice = self.invoice

        routing: dict[str, Any] | None | Unset
        if isinstance(self.routing, Unset):
            routing = UNSET
        elif isinstance(self.routing, DraftChangesRoutingType0):
            routing = self.routing.to_dict()
        else:
            routing = self.routing


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if invoice is not UNSET:
            field_dict["invoice"] = invoice
        if routing is not UNSET:
            field_dict["routing"] = routing

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.draft_changes_invoice_type_0 import DraftChangesInvoiceType0 # noqa: PLC0415
        from ..models.draft_changes_routing_type_0 import DraftChangesRoutingType0 # noqa: PLC0415
        d = dict(src_dict)
        def _parse_invoice(data: object) -> DraftChangesInvoiceType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                invoice_type_0 = DraftChangesInvoiceType0.from_dict(data)



                return invoice_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DraftChangesInvoiceType0 | None | Unset, data)

        invoice = _parse_invoice(d.pop("invoice", UNSET))


        def _parse_routing(data: object) -> DraftChangesRoutingType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                routing_type_0 = DraftChangesRoutingType0.from_dict(data)



                return routing_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DraftChangesRoutingType0 | None | Unset, data)

        routing = _parse_routing(d.pop("routing", UNSET))


        draft_changes = cls(
            invoice=invoice,
            routing=routing,
        )


        draft_changes.additional_properties = d
        return draft_changes

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
