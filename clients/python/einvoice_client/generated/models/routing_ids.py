from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="RoutingIds")



@_attrs_define
class RoutingIds:


    sender_participant_id: str
    """ ISO 6523 id of the sender. """
    receiver_participant_id: None | str | Unset = UNSET
    """ ISO 6523 id of the receiver; must differ from the sender. Required, unless the send goes to a network that
    reaches receivers without one: consumers, or buyers known by their tax number (invoice.buyer.taxId). """
    access_point_ref: None | str | Unset = UNSET
    """ The reference from a lookup of the receiver. Required, unless the send goes to a network without a
    directory, or the receiver has no participant id. """
    email: None | str | Unset = UNSET
    """ The address of the receiver, for the network mail; without: the e-mail of the buyer
    (invoice.buyer.contact.email). Other networks do not use it. """
    network: None | str | Unset = UNSET
    """ The network to use; needed only where several reach the receiver and accessPointRef does not decide. """
    connection: None | str | Unset = UNSET
    """ Id of the connection to send by, at a network that needs an account; needed only where several can be used
    and none is for the seller's tax number. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        sender_participant_id = self.sender_participant_id

        receiver_participant_id: None | str | Unset
        if isinstance(self.receiver_participant_id, Unset):
            receiver_participant_id = UNSET
        else:
            receiver_participant_id = self.receiver_participant_id

        access_point_ref: None | str | Unset
        if isinstance(self.access_point_ref, Unset):
            access_point_ref = UNSET
        else:
            access_point_ref = self.access_point_ref

        email: None | str | Unset
        if isinstance(self.email, Unset):
            email = UNSET
        else:
            email = self.email

        network: None | str | Unset
        if isinstance(self.network, Unset):
            network = UNSET
        else:
            network = self.network

        connection: None | str | Unset
        if isinstance(self.connection, Unset):
            connection = UNSET
        else:
            connection = self.connection


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "senderParticipantId": sender_participant_id,
        })
        if receiver_participant_id is not UNSET:
            field_dict["receiverParticipantId"] = receiver_participant_id
        if access_point_ref is not UNSET:
            field_dict["accessPointRef"] = access_point_ref
        if email is not UNSET:
            field_dict["email"] = email
        if network is not UNSET:
            field_dict["network"] = network
        if connection is not UNSET:
            field_dict["connection"] = connection

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        sender_participant_id = d.pop("senderParticipantId")

        def _parse_receiver_participant_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        receiver_participant_id = _parse_receiver_participant_id(d.pop("receiverParticipantId", UNSET))


        def _parse_access_point_ref(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        access_point_ref = _parse_access_point_ref(d.pop("accessPointRef", UNSET))


        def _parse_email(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        email = _parse_email(d.pop("email", UNSET))


        def _parse_network(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        network = _parse_network(d.pop("network", UNSET))


        def _parse_connection(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        connection = _parse_connection(d.pop("connection", UNSET))


        routing_ids = cls(
            sender_participant_id=sender_participant_id,
            receiver_participant_id=receiver_participant_id,
            access_point_ref=access_point_ref,
            email=email,
            network=network,
            connection=connection,
        )


        routing_ids.additional_properties = d
        return routing_ids

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
