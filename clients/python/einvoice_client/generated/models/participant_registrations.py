from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.network_registration import NetworkRegistration





T = TypeVar("T", bound="ParticipantRegistrations")



@_attrs_define
class ParticipantRegistrations:


    participant_id: str
    """ The id in the network """
    environment: str
    """ The environment """
    checked_at: datetime.datetime
    """ When the networks were asked """
    items: list[NetworkRegistration]
    """ What each network says that registers ids """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.network_registration import NetworkRegistration # noqa: PLC0415
        participant_id = self.participant_id

        environment = self.environment

        checked_at = self.checked_at.isoformat()

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)



        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "participantId": participant_id,
            "environment": environment,
            "checkedAt": checked_at,
            "items": items,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.network_registration import NetworkRegistration # noqa: PLC0415
        d = dict(src_dict)
        participant_id = d.pop("participantId")

        environment = d.pop("environment")

        checked_at = datetime.datetime.fromisoformat(d.pop("checkedAt"))




        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            items_item = NetworkRegistration.from_dict(items_item_data)



            items.append(items_item)


        provider = d.pop("provider")

        participant_registrations = cls(
            participant_id=participant_id,
            environment=environment,
            checked_at=checked_at,
            items=items,
            provider=provider,
        )


        participant_registrations.additional_properties = d
        return participant_registrations

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
