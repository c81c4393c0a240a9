from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="ParticipantResponse")



@_attrs_define
class ParticipantResponse:


    participant_id: str
    """ The id in the network """
    environment: str
    """ The environment """
    created_at: datetime.datetime
    """ When it was claimed """
    status: str
    """ verified, pending or rejected: only a verified id sends in live and receives """
    decided_at: datetime.datetime | None
    """ When the claim was verified or rejected """
    decided_by: None | str
    """ Who did: operator, network or number (a verified number of yours) """
    reason: None | str
    """ The operator's reason """
    publication: str
    """ Whether the network names this service for it, which is asked each day: none (not seen yet, or withdrawn),
    pending (this service is publishing it), published, refused (the network does not let it), or moved (it did, and
    does not any more) """
    publication_reason: None | str
    """ Why it is not published: elsewhere (registered with another access point), not-registered, refused, or
    withdrawn (by you); null without an answer """
    publication_text: None | str
    """ The network's own words for a refusal """
    publication_since: datetime.datetime | None
    """ Since when it is so """
    publication_checked_at: datetime.datetime | None
    """ When the network last said so """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        participant_id = self.participant_id

        environment = self.environment

        created_at = self.created_at.isoformat()

        status = self.status

        decided_at: None | str
        if isinstance(self.decided_at, datetime.datetime):
            decided_at = self.decided_at.isoformat()
        else:
            decided_at = self.decided_at

        decided_by: None | str
        decided_by = self.decided_by

        reason: None | str
        reason = self.reason

        publication = self.publication

        publication_reason: None | str
        publication_reason = self.publication_reason

        publication_text: None | str
        publication_text = self.publication_text

        publication_since: None | str
        if isinstance(self.publication_since, datetime.datetime):
            publication_since = self.publication_since.isoformat()
        else:
            publication_since = self.publication_since

        publication_checked_at: None | str
        if isinstance(self.publication_checked_at, datetime.datetime):
            publication_checked_at = self.publication_checked_at.isoformat()
        else:
            publication_checked_at = self.publication_checked_at

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "participantId": participant_id,
            "environment": environment,
            "createdAt": created_at,
            "status": status,
            "decidedAt": decided_at,
            "decidedBy": decided_by,
            "reason": reason,
            "publication": publication,
            "publicationReason": publication_reason,
            "publicationText": publication_text,
            "publicationSince": publication_since,
            "publicationCheckedAt": publication_checked_at,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        participant_id = d.pop("participantId")

        environment = d.pop("environment")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        status = d.pop("status")

        def _parse_decided_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                decided_at_type_0 = datetime.datetime.fromisoformat(data)



                return decided_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        decided_at = _parse_decided_at(d.pop("decidedAt"))


        def _parse_decided_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        decided_by = _parse_decided_by(d.pop("decidedBy"))


        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        publication = d.pop("publication")

        def _parse_publication_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        publication_reason = _parse_publication_reason(d.pop("publicationReason"))


        def _parse_publication_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        publication_text = _parse_publication_text(d.pop("publicationText"))


        def _parse_publication_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                publication_since_type_0 = datetime.datetime.fromisoformat(data)



                return publication_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        publication_since = _parse_publication_since(d.pop("publicationSince"))


        def _parse_publication_checked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                publication_checked_at_type_0 = datetime.datetime.fromisoformat(data)



                return publication_checked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        publication_checked_at = _parse_publication_checked_at(d.pop("publicationCheckedAt"))


        provider = d.pop("provider")

        participant_response = cls(
            participant_id=participant_id,
            environment=environment,
            created_at=created_at,
            status=status,
            decided_at=decided_at,
            decided_by=decided_by,
            reason=reason,
            publication=publication,
            publication_reason=publication_reason,
            publication_text=publication_text,
            publication_since=publication_since,
            publication_checked_at=publication_checked_at,
            provider=provider,
        )


        participant_response.additional_properties = d
        return participant_response

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
