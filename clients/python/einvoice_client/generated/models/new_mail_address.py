from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.new_mail_address_environment import NewMailAddressEnvironment
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewMailAddress")



@_attrs_define
class NewMailAddress:
    """ An address at which bills arrive; its name is made by the service.

     """

    environment: NewMailAddressEnvironment
    """ The environment of its bills. """
    name: None | str | Unset = UNSET
    """ Your name of it. """
    gl_account_code: None | str | Unset = UNSET
    """ The account of its bills whose supplier has none. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        environment = self.environment.value

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        gl_account_code: None | str | Unset
        if isinstance(self.gl_account_code, Unset):
            gl_account_code = UNSET
        else:
            gl_account_code = self.gl_account_code


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "environment": environment,
        })
        if name is not UNSET:
            field_dict["name"] = name
        if gl_account_code is not UNSET:
            field_dict["glAccountCode"] = gl_account_code

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        environment = NewMailAddressEnvironment(d.pop("environment"))




        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_gl_account_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        gl_account_code = _parse_gl_account_code(d.pop("glAccountCode", UNSET))


        new_mail_address = cls(
            environment=environment,
            name=name,
            gl_account_code=gl_account_code,
        )


        new_mail_address.additional_properties = d
        return new_mail_address

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
