from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.api_key_changes_scopes_type_0_item import ApiKeyChangesScopesType0Item
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ApiKeyChanges")



@_attrs_define
class ApiKeyChanges:
    """ Omitted fields stay unchanged.

     """

    name: None | str | Unset = UNSET
    """ What the key is for, in your own words. """
    scopes: list[ApiKeyChangesScopesType0Item] | None | Unset = UNSET
    """ Its permissions; default: participants:read, invoices:send, invoices:read, artefacts:read. """
    allowed_ips: list[str] | None | Unset = UNSET
    """ Allowed client addresses or networks; empty: any. """
    allowed_receivers: list[str] | None | Unset = UNSET
    """ Allowed receivers; empty: any. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        scopes: list[str] | None | Unset
        if isinstance(self.scopes, Unset):
            scopes = UNSET
        elif isinstance(self.scopes, list):
            scopes = []
            for scopes_type_0_item_data in self.scopes:
                scopes_type_0_item = scopes_type_0_item_data.value
                scopes.append(scopes_type_0_item)


        else:
            scopes = self.scopes

        allowed_ips: list[str] | None | Unset
        if isinstance(self.allowed_ips, Unset):
            allowed_ips = UNSET
        elif isinstance(self.allowed_ips, list):
            allowed_ips = self.allowed_ips


        else:
            allowed_ips = self.allowed_ips

        allowed_receivers: list[str] | None | Unset
        if isinstance(self.allowed_receivers, Unset):
            allowed_receivers = UNSET
        elif isinstance(self.allowed_receivers, list):
            allowed_receivers = self.allowed_receivers


        else:
            allowed_receivers = self.allowed_receivers


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if name is not UNSET:
            field_dict["name"] = name
        if scopes is not UNSET:
            field_dict["scopes"] = scopes
        if allowed_ips is not UNSET:
            field_dict["allowedIps"] = allowed_ips
        if allowed_receivers is not UNSET:
            field_dict["allowedReceivers"] = allowed_receivers

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_scopes(data: object) -> list[ApiKeyChangesScopesType0Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                scopes_type_0 = []
                _scopes_type_0 = data
                for scopes_type_0_item_data in (_scopes_type_0):
                    scopes_type_0_item = ApiKeyChangesScopesType0Item(scopes_type_0_item_data)



                    scopes_type_0.append(scopes_type_0_item)

                return scopes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ApiKeyChangesScopesType0Item] | None | Unset, data)

        scopes = _parse_scopes(d.pop("scopes", UNSET))


        def _parse_allowed_ips(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                allowed_ips_type_0 = cast(list[str], data)

                return allowed_ips_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        allowed_ips = _parse_allowed_ips(d.pop("allowedIps", UNSET))


        def _parse_allowed_receivers(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                allowed_receivers_type_0 = cast(list[str], data)

                return allowed_receivers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        allowed_receivers = _parse_allowed_receivers(d.pop("allowedReceivers", UNSET))


        api_key_changes = cls(
            name=name,
            scopes=scopes,
            allowed_ips=allowed_ips,
            allowed_receivers=allowed_receivers,
        )


        api_key_changes.additional_properties = d
        return api_key_changes

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
