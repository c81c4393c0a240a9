from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="Mandate")



@_attrs_define
class Mandate:
    """ A mandate for invoices between two kinds of parties.

     """

    mandate_id: str
    """ Permanent: country, type, network """
    type_: str
    """ B2B, B2G or B2C """
    status: str
    """ One of in-force, phased, announced, none """
    voluntary: bool
    """ Whether it is voluntary """
    effective_date: datetime.date | None
    """ First day of validity; null: not a single day """
    network: None | str
    """ The network; null: none is prescribed """
    formats: list[str]
    """ Accepted formats """
    schemes: list[str]
    """ Schemes of participant ids in use """
    supported: bool
    """ Whether this installation supports it """
    notes: None | str
    """ Exceptions, next steps """
    source_url: None | str
    """ URL of the source """
    checked_at: datetime.date
    """ The day the facts were last checked """
    confidence: str
    """ high, medium or low: reliability of the facts """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        mandate_id = self.mandate_id

        type_ = self.type_

        status = self.status

        voluntary = self.voluntary

        effective_date: None | str
        if isinstance(self.effective_date, datetime.date):
            effective_date = self.effective_date.isoformat()
        else:
            effective_date = self.effective_date

        network: None | str
        network = self.network

        formats = self.formats



        schemes = self.schemes



        supported = self.supported

        notes: None | str
        notes = self.notes

        source_url: None | str
        source_url = self.source_url

        checked_at = self.checked_at.isoformat()

        confidence = self.confidence


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "mandateId": mandate_id,
            "type": type_,
            "status": status,
            "voluntary": voluntary,
            "effectiveDate": effective_date,
            "network": network,
            "formats": formats,
            "schemes": schemes,
            "supported": supported,
            "notes": notes,
            "sourceUrl": source_url,
            "checkedAt": checked_at,
            "confidence": confidence,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mandate_id = d.pop("mandateId")

        type_ = d.pop("type")

        status = d.pop("status")

        voluntary = d.pop("voluntary")

        def _parse_effective_date(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                effective_date_type_0 = datetime.date.fromisoformat(data)



                return effective_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        effective_date = _parse_effective_date(d.pop("effectiveDate"))


        def _parse_network(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        network = _parse_network(d.pop("network"))


        formats = cast(list[str], d.pop("formats"))


        schemes = cast(list[str], d.pop("schemes"))


        supported = d.pop("supported")

        def _parse_notes(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        notes = _parse_notes(d.pop("notes"))


        def _parse_source_url(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        source_url = _parse_source_url(d.pop("sourceUrl"))


        checked_at = datetime.date.fromisoformat(d.pop("checkedAt"))




        confidence = d.pop("confidence")

        mandate = cls(
            mandate_id=mandate_id,
            type_=type_,
            status=status,
            voluntary=voluntary,
            effective_date=effective_date,
            network=network,
            formats=formats,
            schemes=schemes,
            supported=supported,
            notes=notes,
            source_url=source_url,
            checked_at=checked_at,
            confidence=confidence,
        )


        mandate.additional_properties = d
        return mandate

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
