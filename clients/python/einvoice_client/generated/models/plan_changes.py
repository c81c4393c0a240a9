from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.plan_changes_above_limit_type_1 import PlanChangesAboveLimitType1
from ..models.plan_changes_above_limit_type_2_type_1 import PlanChangesAboveLimitType2Type1
from ..models.plan_changes_above_limit_type_3_type_1 import PlanChangesAboveLimitType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="PlanChanges")



@_attrs_define
class PlanChanges:
    """ What the tenant may use. The whole plan is replaced; omitted: without limit.

     """

    monthly_documents: int | None | Unset = UNSET
    """ Documents that it may send in a month (UTC), in each environment. """
    above_limit: None | PlanChangesAboveLimitType1 | PlanChangesAboveLimitType2Type1 | PlanChangesAboveLimitType3Type1 | Unset = UNSET
    """ What happens to a document above them: refuse (402), wait (429 until the next month) or allow; default:
    refuse. """
    networks: list[str] | None | Unset = UNSET
    """ The networks by which it may send; omitted: all. """
    users: int | None | Unset = UNSET
    """ How many people may use its account; omitted: any number. """
    retention_years: int | None | Unset = UNSET
    """ Years for which its live documents are kept, if the law asks for fewer. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        monthly_documents: int | None | Unset
        if isinstance(self.monthly_documents, Unset):
            monthly_documents = UNSET
        else:
            monthly_documents = self.monthly_documents

        above_limit: None | str | Unset
        if isinstance(self.above_limit, Unset):
            above_limit = UNSET
        elif isinstance(self.above_limit, PlanChangesAboveLimitType1):
            above_limit = self.above_limit.value
        elif isinstance(self.above_limit, PlanChangesAboveLimitType2Type1):
            above_limit = self.above_limit.value
        elif isinstance(self.above_limit, PlanChangesAboveLimitType3Type1):
            above_limit = self.above_limit.value
        else:
            above_limit = self.above_limit

        networks: list[str] | None | Unset
        if isinstance(self.networks, Unset):
            networks = UNSET
        elif isinstance(self.networks, list):
            networks = self.networks


        else:
            networks = self.networks

        users: int | None | Unset
        if isinstance(self.users, Unset):
            users = UNSET
        else:
            users = self.users

        retention_years: int | None | Unset
        if isinstance(self.retention_years, Unset):
            retention_years = UNSET
        else:
            retention_years = self.retention_years


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if monthly_documents is not UNSET:
            field_dict["monthlyDocuments"] = monthly_documents
        if above_limit is not UNSET:
            field_dict["aboveLimit"] = above_limit
        if networks is not UNSET:
            field_dict["networks"] = networks
        if users is not UNSET:
            field_dict["users"] = users
        if retention_years is not UNSET:
            field_dict["retentionYears"] = retention_years

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_monthly_documents(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        monthly_documents = _parse_monthly_documents(d.pop("monthlyDocuments", UNSET))


        def _parse_above_limit(data: object) -> None | PlanChangesAboveLimitType1 | PlanChangesAboveLimitType2Type1 | PlanChangesAboveLimitType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                above_limit_type_1 = PlanChangesAboveLimitType1(data)



                return above_limit_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                above_limit_type_2_type_1 = PlanChangesAboveLimitType2Type1(data)



                return above_limit_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                above_limit_type_3_type_1 = PlanChangesAboveLimitType3Type1(data)



                return above_limit_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PlanChangesAboveLimitType1 | PlanChangesAboveLimitType2Type1 | PlanChangesAboveLimitType3Type1 | Unset, data)

        above_limit = _parse_above_limit(d.pop("aboveLimit", UNSET))


        def _parse_networks(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                networks_type_0 = cast(list[str], data)

                return networks_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        networks = _parse_networks(d.pop("networks", UNSET))


        def _parse_users(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        users = _parse_users(d.pop("users", UNSET))


        def _parse_retention_years(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        retention_years = _parse_retention_years(d.pop("retentionYears", UNSET))


        plan_changes = cls(
            monthly_documents=monthly_documents,
            above_limit=above_limit,
            networks=networks,
            users=users,
            retention_years=retention_years,
        )


        plan_changes.additional_properties = d
        return plan_changes

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
