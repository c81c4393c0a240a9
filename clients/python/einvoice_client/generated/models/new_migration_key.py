from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="NewMigrationKey")



@_attrs_define
class NewMigrationKey:


    migration_key: None | str
    """ By which another provider takes the participant over, once: a secret; null for a repetition """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        migration_key: None | str
        migration_key = self.migration_key

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "migrationKey": migration_key,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_migration_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        migration_key = _parse_migration_key(d.pop("migrationKey"))


        provider = d.pop("provider")

        new_migration_key = cls(
            migration_key=migration_key,
            provider=provider,
        )


        new_migration_key.additional_properties = d
        return new_migration_key

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
