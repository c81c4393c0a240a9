from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID






T = TypeVar("T", bound="FoundParticipant")



@_attrs_define
class FoundParticipant:
    """ A participant, as one source knows it.

     """

    participant_id: str
    """ ISO 6523 id, for a lookup or a send """
    name: None | str
    """ Its name there; null if a network was asked by number """
    country_code: None | str
    """ ISO 3166-1 alpha-2 """
    source: str
    """ customer, supplier or network """
    customer_id: None | UUID
    """ The customer, if it is the source """
    supplier_id: None | UUID
    """ The supplier, if it is the source """
    network: None | str
    """ The network, if it is the source """
    environment: None | str
    """ test or live, of the network """
    supported_doc_types: list[str]
    """ What it is registered for, if a network was asked by number """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        participant_id = self.participant_id

        name: None | str
        name = self.name

        country_code: None | str
        country_code = self.country_code

        source = self.source

        customer_id: None | str
        if isinstance(self.customer_id, UUID):
            customer_id = str(self.customer_id)
        else:
            customer_id = self.customer_id

        supplier_id: None | str
        if isinstance(self.supplier_id, UUID):
            supplier_id = str(self.supplier_id)
        else:
            supplier_id = self.supplier_id

        network: None | str
        network = self.network

        environment: None | str
        environment = self.environment

        supported_doc_types = self.supported_doc_types




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "participantId": participant_id,
            "name": name,
            "countryCode": country_code,
            "source": source,
            "customerId": customer_id,
            "supplierId": supplier_id,
            "network": network,
            "environment": environment,
            "supportedDocTypes": supported_doc_types,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        participant_id = d.pop("participantId")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))


        def _parse_country_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        country_code = _parse_country_code(d.pop("countryCode"))


        source = d.pop("source")

        def _parse_customer_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                customer_id_type_0 = UUID(data)



                return customer_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        customer_id = _parse_customer_id(d.pop("customerId"))


        def _parse_supplier_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                supplier_id_type_0 = UUID(data)



                return supplier_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        supplier_id = _parse_supplier_id(d.pop("supplierId"))


        def _parse_network(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        network = _parse_network(d.pop("network"))


        def _parse_environment(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        environment = _parse_environment(d.pop("environment"))


        supported_doc_types = cast(list[str], d.pop("supportedDocTypes"))


        found_participant = cls(
            participant_id=participant_id,
            name=name,
            country_code=country_code,
            source=source,
            customer_id=customer_id,
            supplier_id=supplier_id,
            network=network,
            environment=environment,
            supported_doc_types=supported_doc_types,
        )


        found_participant.additional_properties = d
        return found_participant

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
