from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.new_draft_environment_type_1 import NewDraftEnvironmentType1
from ..models.new_draft_environment_type_2_type_1 import NewDraftEnvironmentType2Type1
from ..models.new_draft_environment_type_3_type_1 import NewDraftEnvironmentType3Type1
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.new_draft_invoice_type_0 import NewDraftInvoiceType0
  from ..models.new_draft_routing_type_0 import NewDraftRoutingType0





T = TypeVar("T", bound="NewDraft")



@_attrs_define
class NewDraft:
    """ A new draft.

     """

    invoice: NewDraftInvoiceType0 | None | Unset = UNSET
    """ The members of `invoice` of the body of POST /api/invoices/send, as far as they are known. They are not
    judged before the invoice is checked or sent, except for attachments; at most 1,048,576 bytes without those. """
    routing: NewDraftRoutingType0 | None | Unset = UNSET
    """ The members of `routing` of the body of POST /api/invoices/send, as far as they are known. """
    environment: NewDraftEnvironmentType1 | NewDraftEnvironmentType2Type1 | NewDraftEnvironmentType3Type1 | None | Unset = UNSET
    """ Environment to send it in. Required for people; a key has one. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.new_draft_invoice_type_0 import NewDraftInvoiceType0 # noqa: PLC0415
        from ..models.new_draft_routing_type_0 import NewDraftRoutingType0 # noqa: PLC0415
        invoice: dict[str, Any] | None | Unset
        if isinstance(self.invoice, Unset):
            invoice = UNSET
        elif isinstance(self.invoice, NewDraftInvoiceType0):
            invoice = self.invoice.to_dict()
        else:
            invoice = self.invoice

        routing: dict[str, Any] | None | Unset
        if isinstance(self.routing, Unset):
            routing = UNSET
        elif isinstance(self.routing, NewDraftRoutingType0):
            routing = self.routing.to_dict()
        else:
            routing = self.routing

        environment: None | str | Unset
        if isinstance(self.environment, Unset):
            environment = UNSET
        elif isinstance(self.environment, NewDraftEnvironmentType1):
            environment = self.environment.value
        elif isinstance(self.environment, NewDraftEnvironmentType2Type1):
            environment = self.environment.value
        elif isinstance(self.environment, NewDraftEnvironmentType3Type1):
            environment = self.environment.value
        else:
            environment = self.environment


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if invoice is not UNSET:
            field_dict["invoice"] = invoice
        if routing is not UNSET:
            field_dict["routing"] = routing
        if environment is not UNSET:
            field_dict["environment"] = environment

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.new_draft_invoice_type_0 import NewDraftInvoiceType0 # noqa: PLC0415
        from ..models.new_draft_routing_type_0 import NewDraftRoutingType0 # noqa: PLC0415
        d = dict(src_dict)
        def _parse_invoice(data: object) -> NewDraftInvoiceType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                invoice_type_0 = NewDraftInvoiceType0.from_dict(data)



                return invoice_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NewDraftInvoiceType0 | None | Unset, data)

        invoice = _parse_invoice(d.pop("invoice", UNSET))


        def _parse_routing(data: object) -> NewDraftRoutingType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                routing_type_0 = NewDraftRoutingType0.from_dict(data)



                return routing_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NewDraftRoutingType0 | None | Unset, data)

        routing = _parse_routing(d.pop("routing", UNSET))


        def _parse_environment(data: object) -> NewDraftEnvironmentType1 | NewDraftEnvironmentType2Type1 | NewDraftEnvironmentType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_1 = NewDraftEnvironmentType1(data)



                return environment_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_2_type_1 = NewDraftEnvironmentType2Type1(data)



                return environment_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_3_type_1 = NewDraftEnvironmentType3Type1(data)



                return environment_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NewDraftEnvironmentType1 | NewDraftEnvironmentType2Type1 | NewDraftEnvironmentType3Type1 | None | Unset, data)

        environment = _parse_environment(d.pop("environment", UNSET))


        new_draft = cls(
            invoice=invoice,
            routing=routing,
            environment=environment,
        )


        new_draft.additional_properties = d
        return new_draft

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
