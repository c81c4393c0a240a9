from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.mandate import Mandate





T = TypeVar("T", bound="Country")



@_attrs_define
class Country:


    country_code: str
    """ ISO 3166-1 alpha-2 """
    name: str
    """ In English """
    mandates: list[Mandate]
    """ Its mandates, B2G first """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.mandate import Mandate # noqa: PLC0415
        country_code = self.country_code

        name = self.name

        mandates = []
        for mandates_item_data in self.mandates:
            mandates_item = mandates_item_data.to_dict()
            mandates.append(mandates_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "countryCode": country_code,
            "name": name,
            "mandates": mandates,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.mandate import Mandate # noqa: PLC0415
        d = dict(src_dict)
        country_code = d.pop("countryCode")

        name = d.pop("name")

        mandates = []
        _mandates = d.pop("mandates")
        for mandates_item_data in (_mandates):
            mandates_item = Mandate.from_dict(mandates_item_data)



            mandates.append(mandates_item)


        country = cls(
            country_code=country_code,
            name=name,
            mandates=mandates,
        )


        country.additional_properties = d
        return country

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
