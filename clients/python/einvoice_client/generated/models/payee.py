from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.identifier import Identifier





T = TypeVar("T", bound="Payee")



@_attrs_define
class Payee:


    name: str
    """ Its name. """
    identifier: Identifier | None | Unset = UNSET
    """ An identifier of the payee. """
    company_id: None | str | Unset = UNSET
    """ Number in the company register, plain or as <scheme>:<identifier>. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.identifier import Identifier # noqa: PLC0415
        name = self.name

        identifier: dict[str, Any] | None | Unset
        if isinstance(self.identifier, Unset):
            identifier = UNSET
        elif isinstance(self.identifier, Identifier):
            identifier = self.identifier.to_dict()
        else:
            identifier = self.identifier

        company_id: None | str | Unset
        if isinstance(self.company_id, Unset):
            company_id = UNSET
        else:
            company_id = self.company_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
        })
        if identifier is not UNSET:
            field_dict["identifier"] = identifier
        if company_id is not UNSET:
            field_dict["companyId"] = company_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.identifier import Identifier # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_identifier(data: object) -> Identifier | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                identifier_type_0 = Identifier.from_dict(data)



                return identifier_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Identifier | None | Unset, data)

        identifier = _parse_identifier(d.pop("identifier", UNSET))


        def _parse_company_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        company_id = _parse_company_id(d.pop("companyId", UNSET))


        payee = cls(
            name=name,
            identifier=identifier,
            company_id=company_id,
        )


        payee.additional_properties = d
        return payee

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
