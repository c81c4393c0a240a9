from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="ConnectionRecord")



@_attrs_define
class ConnectionRecord:


    connection_id: UUID
    """ The connection's id """
    environment: str
    """ The environment """
    network: str
    """ The network """
    access_point: str
    """ The access point """
    account: str
    """ The tax number that it is for """
    name: str
    """ Your name of it """
    state: str
    """ One of setting-up, active, renewal-due, needs-person, broken, revoked """
    reason: None | str
    """ Why it is in this state """
    waiting_documents: int
    """ Documents that wait until it can be used """
    waiting_since: datetime.datetime | None
    """ Since when the first of them waits; null without any """
    state_text: str
    """ What the state means, for people """
    next_step: str
    """ What to do next, for people """
    consent_by: None | str
    """ Who gave consent """
    consent_at: datetime.datetime | None
    """ When consent was given """
    consent_id: None | UUID
    """ The consent that it uses, the same for all connections that use it; null where consents are not shared """
    valid_until: datetime.datetime | None
    """ Until when it works without being renewed """
    renewed_at: datetime.datetime | None
    """ When its credentials were last renewed """
    expires_at: datetime.datetime | None
    """ When it ends unless it is renewed """
    checked_at: datetime.datetime | None
    """ When the network last answered a check """
    created_at: datetime.datetime
    """ When it was created """
    updated_at: datetime.datetime
    """ When it was last changed """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        connection_id = str(self.connection_id)

        environment = self.environment

        network = self.network

        access_point = self.access_point

        account = self.account

        name = self.name

        state = self.state

        reason: None | str
        reason = self.reason

        waiting_documents = self.waiting_documents

        waiting_since: None | str
        if isinstance(self.waiting_since, datetime.datetime):
            waiting_since = self.waiting_since.isoformat()
        else:
            waiting_since = self.waiting_since

        state_text = self.state_text

        next_step = self.next_step

        consent_by: None | str
        consent_by = self.consent_by

        consent_at: None | str
        if isinstance(self.consent_at, datetime.datetime):
            consent_at = self.consent_at.isoformat()
        else:
            consent_at = self.consent_at

        consent_id: None | str
        if isinstance(self.consent_id, UUID):
            consent_id = str(self.consent_id)
        else:
            consent_id = self.consent_id

        valid_until: None | str
        if isinstance(self.valid_until, datetime.datetime):
            valid_until = self.valid_until.isoformat()
        else:
            valid_until = self.valid_until

        renewed_at: None | str
        if isinstance(self.renewed_at, datetime.datetime):
            renewed_at = self.renewed_at.isoformat()
        else:
            renewed_at = self.renewed_at

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        checked_at: None | str
        if isinstance(self.checked_at, datetime.datetime):
            checked_at = self.checked_at.isoformat()
        else:
            checked_at = self.checked_at

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "connectionId": connection_id,
            "environment": environment,
            "network": network,
            "accessPoint": access_point,
            "account": account,
            "name": name,
            "state": state,
            "reason": reason,
            "waitingDocuments": waiting_documents,
            "waitingSince": waiting_since,
            "stateText": state_text,
            "nextStep": next_step,
            "consentBy": consent_by,
            "consentAt": consent_at,
            "consentId": consent_id,
            "validUntil": valid_until,
            "renewedAt": renewed_at,
            "expiresAt": expires_at,
            "checkedAt": checked_at,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        connection_id = UUID(d.pop("connectionId"))




        environment = d.pop("environment")

        network = d.pop("network")

        access_point = d.pop("accessPoint")

        account = d.pop("account")

        name = d.pop("name")

        state = d.pop("state")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        waiting_documents = d.pop("waitingDocuments")

        def _parse_waiting_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                waiting_since_type_0 = datetime.datetime.fromisoformat(data)



                return waiting_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        waiting_since = _parse_waiting_since(d.pop("waitingSince"))


        state_text = d.pop("stateText")

        next_step = d.pop("nextStep")

        def _parse_consent_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        consent_by = _parse_consent_by(d.pop("consentBy"))


        def _parse_consent_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                consent_at_type_0 = datetime.datetime.fromisoformat(data)



                return consent_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        consent_at = _parse_consent_at(d.pop("consentAt"))


        def _parse_consent_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                consent_id_type_0 = UUID(data)



                return consent_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        consent_id = _parse_consent_id(d.pop("consentId"))


        def _parse_valid_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                valid_until_type_0 = datetime.datetime.fromisoformat(data)



                return valid_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        valid_until = _parse_valid_until(d.pop("validUntil"))


        def _parse_renewed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                renewed_at_type_0 = datetime.datetime.fromisoformat(data)



                return renewed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        renewed_at = _parse_renewed_at(d.pop("renewedAt"))


        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)



                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expiresAt"))


        def _parse_checked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                checked_at_type_0 = datetime.datetime.fromisoformat(data)



                return checked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        checked_at = _parse_checked_at(d.pop("checkedAt"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        connection_record = cls(
            connection_id=connection_id,
            environment=environment,
            network=network,
            access_point=access_point,
            account=account,
            name=name,
            state=state,
            reason=reason,
            waiting_documents=waiting_documents,
            waiting_since=waiting_since,
            state_text=state_text,
            next_step=next_step,
            consent_by=consent_by,
            consent_at=consent_at,
            consent_id=consent_id,
            valid_until=valid_until,
            renewed_at=renewed_at,
            expires_at=expires_at,
            checked_at=checked_at,
            created_at=created_at,
            updated_at=updated_at,
        )


        connection_record.additional_properties = d
        return connection_record

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
