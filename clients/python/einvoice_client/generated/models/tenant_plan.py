from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="TenantPlan")



@_attrs_define
class TenantPlan:
    """ What the tenant may use.

     """

    monthly_documents: int | None
    """ Documents a month; null: any number """
    above_limit: str
    """ refuse, wait or allow """
    networks: list[str] | None
    """ Networks by which it may send; empty: none; null: all """
    users: int | None
    """ People who may use it; null: any number """
    retention_years: int | None
    """ Years for which its documents are kept, if the law asks for fewer """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        monthly_documents: int | None
        monthly_documents = self.monthly_documents

        above_limit = self.above_limit

        networks: list[str] | None
        if isinstance(self.networks, list):
            networks = self.networks


        else:
            networks = self.networks

        users: int | None
        users = self.users

        retention_years: int | None
        retention_years = self.retention_years


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "monthlyDocuments": monthly_documents,
            "aboveLimit": above_limit,
            "networks": networks,
            "users": users,
            "retentionYears": retention_years,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_monthly_documents(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        monthly_documents = _parse_monthly_documents(d.pop("monthlyDocuments"))


        above_limit = d.pop("aboveLimit")

        def _parse_networks(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                networks_type_0 = cast(list[str], data)

                return networks_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        networks = _parse_networks(d.pop("networks"))


        def _parse_users(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        users = _parse_users(d.pop("users"))


        def _parse_retention_years(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        retention_years = _parse_retention_years(d.pop("retentionYears"))


        tenant_plan = cls(
            monthly_documents=monthly_documents,
            above_limit=above_limit,
            networks=networks,
            users=users,
            retention_years=retention_years,
        )


        tenant_plan.additional_properties = d
        return tenant_plan

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
