from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.invoice import Invoice
  from ..models.routing_ids import RoutingIds
  from ..models.send_options import SendOptions





T = TypeVar("T", bound="SendBatchEntry")



@_attrs_define
class SendBatchEntry:


    invoice: Invoice
    routing: RoutingIds
    idempotency_key: str
    """ The send's own key; keys are shared with POST /api/invoices/send. """
    options: None | SendOptions | Unset = UNSET
    """ Options of this request. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.invoice import Invoice # noqa: PLC0415
        from ..models.routing_ids import RoutingIds # noqa: PLC0415
        from ..models.send_options import SendOptions # noqa: PLC0415
        invoice = self.invoice.to_dict()

        routing = self.routing.to_dict()

        idempotency_key = self.idempotency_key

        options: dict[str, Any] | None | Unset
        if isinstance(self.options, Unset):
            options = UNSET
        elif isinstance(self.options, SendOptions):
            options = self.options.to_dict()
        else:
            options = self.options


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoice": invoice,
            "routing": routing,
            "idempotencyKey": idempotency_key,
        })
        if options is not UNSET:
            field_dict["options"] = options

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.invoice import Invoice # noqa: PLC0415
        from ..models.routing_ids import RoutingIds # noqa: PLC0415
        from ..models.send_options import SendOptions # noqa: PLC0415
        d = dict(src_dict)
        invoice = Invoice.from_dict(d.pop("invoice"))




        routing = RoutingIds.from_dict(d.pop("routing"))




        idempotency_key = d.pop("idempotencyKey")

        def _parse_options(data: object) -> None | SendOptions | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                options_type_0 = SendOptions.from_dict(data)



                return options_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SendOptions | Unset, data)

        options = _parse_options(d.pop("options", UNSET))


        send_batch_entry = cls(
            invoice=invoice,
            routing=routing,
            idempotency_key=idempotency_key,
            options=options,
        )


        send_batch_entry.additional_properties = d
        return send_batch_entry

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
