from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.audit_entry_detail import AuditEntryDetail





T = TypeVar("T", bound="AuditEntry")



@_attrs_define
class AuditEntry:


    at: datetime.datetime
    """ When """
    action: str
    """ The action """
    target: str
    """ To what """
    actor: str
    """ The person's subject, or the id of the key or OAuth client """
    actor_kind: str
    """ person, key for a key or OAuth client, platform, or operator """
    email: None | str
    """ The person's address """
    address: None | str
    """ From where """
    detail: AuditEntryDetail
    """ Details of the change, depending on the action """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.audit_entry_detail import AuditEntryDetail # noqa: PLC0415
        at = self.at.isoformat()

        action = self.action

        target = self.target

        actor = self.actor

        actor_kind = self.actor_kind

        email: None | str
        email = self.email

        address: None | str
        address = self.address

        detail = self.detail.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "at": at,
            "action": action,
            "target": target,
            "actor": actor,
            "actorKind": actor_kind,
            "email": email,
            "address": address,
            "detail": detail,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_entry_detail import AuditEntryDetail # noqa: PLC0415
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))




        action = d.pop("action")

        target = d.pop("target")

        actor = d.pop("actor")

        actor_kind = d.pop("actorKind")

        def _parse_email(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        email = _parse_email(d.pop("email"))


        def _parse_address(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        address = _parse_address(d.pop("address"))


        detail = AuditEntryDetail.from_dict(d.pop("detail"))




        audit_entry = cls(
            at=at,
            action=action,
            target=target,
            actor=actor,
            actor_kind=actor_kind,
            email=email,
            address=address,
            detail=detail,
        )


        audit_entry.additional_properties = d
        return audit_entry

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
