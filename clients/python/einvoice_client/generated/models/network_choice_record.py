from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="NetworkChoiceRecord")



@_attrs_define
class NetworkChoiceRecord:
    """ The network for invoices from one country to another.

     """

    supplier_country: str
    """ The supplier's country """
    buyer_country: str
    """ The buyer's country """
    network: str
    """ The network to use """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        supplier_country = self.supplier_country

        buyer_country = self.buyer_country

        network = self.network


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "supplierCountry": supplier_country,
            "buyerCountry": buyer_country,
            "network": network,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        supplier_country = d.pop("supplierCountry")

        buyer_country = d.pop("buyerCountry")

        network = d.pop("network")

        network_choice_record = cls(
            supplier_country=supplier_country,
            buyer_country=buyer_country,
            network=network,
        )


        network_choice_record.additional_properties = d
        return network_choice_record

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
