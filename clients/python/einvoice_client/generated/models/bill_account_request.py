from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="BillAccountRequest")



@_attrs_define
class BillAccountRequest:
    """ The account that a bill is booked to.

     """

    gl_account_code: None | str | Unset = UNSET
    """ The account of your chart; without it the bill has none. """
    remember: bool | None | Unset = UNSET
    """ false: not for later bills of its supplier. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        gl_account_code: None | str | Unset
        if isinstance(self.gl_account_code, Unset):
            gl_account_code = UNSET
        else:
            gl_account_code = self.gl_account_code

        remember: bool | None | Unset
        if isinstance(self.remember, Unset):
            remember = UNSET
        else:
            remember = self.remember


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if gl_account_code is not UNSET:
            field_dict["glAccountCode"] = gl_account_code
        if remember is not UNSET:
            field_dict["remember"] = remember

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_gl_account_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        gl_account_code = _parse_gl_account_code(d.pop("glAccountCode", UNSET))


        def _parse_remember(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        remember = _parse_remember(d.pop("remember", UNSET))


        bill_account_request = cls(
            gl_account_code=gl_account_code,
            remember=remember,
        )


        bill_account_request.additional_properties = d
        return bill_account_request

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
