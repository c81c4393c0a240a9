from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TenantLimits")



@_attrs_define
class TenantLimits:
    """ Requests a minute that the platform may make for the tenant; omitted: the default.

     """

    get: int | None | Unset = UNSET
    """ GET and HEAD requests. """
    post: int | None | Unset = UNSET
    """ All other requests. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        get: int | None | Unset
        if isinstance(self.get, Unset):
            get = UNSET
        else:
            get = self.get

        post: int | None | Unset
        if isinstance(self.post, Unset):
            post = UNSET
        else:
            post = self.post


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if get is not UNSET:
            field_dict["get"] = get
        if post is not UNSET:
            field_dict["post"] = post

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_get(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        get = _parse_get(d.pop("get", UNSET))


        def _parse_post(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        post = _parse_post(d.pop("post", UNSET))


        tenant_limits = cls(
            get=get,
            post=post,
        )


        tenant_limits.additional_properties = d
        return tenant_limits

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
