from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="ReportEntry")



@_attrs_define
class ReportEntry:
    """ A report of an invoice to a tax authority, beside its delivery.

     """

    report_id: str
    """ The report """
    reports_to: str
    """ Country of the authority, ISO 3166-1 alpha-2 """
    kind: str
    """ Its document: the artefact of this type, once it is Delivered """
    status: str
    """ Processing, Delivered (the authority has it) or Failed """
    attention: bool
    """ Whether a person has to decide what follows """
    reason: None | str
    """ Why it failed; null otherwise """
    due_at: datetime.datetime
    """ Until when the authority has to have it """
    settled_at: datetime.datetime | None
    """ When its outcome was known; null before """
    created_at: datetime.datetime
    """ When it was made """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        report_id = self.report_id

        reports_to = self.reports_to

        kind = self.kind

        status = self.status

        attention = self.attention

        reason: None | str
        reason = self.reason

        due_at = self.due_at.isoformat()

        settled_at: None | str
        if isinstance(self.settled_at, datetime.datetime):
            settled_at = self.settled_at.isoformat()
        else:
            settled_at = self.settled_at

        created_at = self.created_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "reportId": report_id,
            "reportsTo": reports_to,
            "kind": kind,
            "status": status,
            "attention": attention,
            "reason": reason,
            "dueAt": due_at,
            "settledAt": settled_at,
            "createdAt": created_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        report_id = d.pop("reportId")

        reports_to = d.pop("reportsTo")

        kind = d.pop("kind")

        status = d.pop("status")

        attention = d.pop("attention")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        due_at = datetime.datetime.fromisoformat(d.pop("dueAt"))




        def _parse_settled_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                settled_at_type_0 = datetime.datetime.fromisoformat(data)



                return settled_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        settled_at = _parse_settled_at(d.pop("settledAt"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        report_entry = cls(
            report_id=report_id,
            reports_to=reports_to,
            kind=kind,
            status=status,
            attention=attention,
            reason=reason,
            due_at=due_at,
            settled_at=settled_at,
            created_at=created_at,
        )


        report_entry.additional_properties = d
        return report_entry

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
