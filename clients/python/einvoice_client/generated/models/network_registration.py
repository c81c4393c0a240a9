from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="NetworkRegistration")



@_attrs_define
class NetworkRegistration:


    network: str
    """ The network """
    status: str
    """ here (registered, and delivers to this service), elsewhere (registered with another access point), not-
    registered, or no-answer """
    endpoint: None | str
    """ Where it receives, if that is known """
    certificate_expires_at: datetime.datetime | None
    """ When the certificate of that endpoint ends """
    document_types: int | None
    """ How many document types are registered """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        network = self.network

        status = self.status

        endpoint: None | str
        endpoint = self.endpoint

        certificate_expires_at: None | str
        if isinstance(self.certificate_expires_at, datetime.datetime):
            certificate_expires_at = self.certificate_expires_at.isoformat()
        else:
            certificate_expires_at = self.certificate_expires_at

        document_types: int | None
        document_types = self.document_types


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "network": network,
            "status": status,
            "endpoint": endpoint,
            "certificateExpiresAt": certificate_expires_at,
            "documentTypes": document_types,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        network = d.pop("network")

        status = d.pop("status")

        def _parse_endpoint(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        endpoint = _parse_endpoint(d.pop("endpoint"))


        def _parse_certificate_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                certificate_expires_at_type_0 = datetime.datetime.fromisoformat(data)



                return certificate_expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        certificate_expires_at = _parse_certificate_expires_at(d.pop("certificateExpiresAt"))


        def _parse_document_types(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        document_types = _parse_document_types(d.pop("documentTypes"))


        network_registration = cls(
            network=network,
            status=status,
            endpoint=endpoint,
            certificate_expires_at=certificate_expires_at,
            document_types=document_types,
        )


        network_registration.additional_properties = d
        return network_registration

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
