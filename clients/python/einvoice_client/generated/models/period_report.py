from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.left_out_document import LeftOutDocument





T = TypeVar("T", bound="PeriodReport")



@_attrs_define
class PeriodReport:
    """ A report of a period to a tax authority.

     """

    report_id: UUID
    """ The report """
    connection_id: UUID
    """ The connection by which it is sent """
    account: str
    """ The company """
    kind: str
    """ What it is about: sales, purchases or payments """
    start: datetime.date
    """ The first day of the period """
    end: datetime.date
    """ Its last day """
    due_on: datetime.date
    """ The last day on which the report is in time """
    number: int
    """ Counts the reports of this period, from 0 """
    corrects: bool
    """ Whether it corrects an earlier one """
    status: str
    """ open: it is not sent yet; sending; accepted or refused by the platform; unknown: it was sent by another
    installation """
    reason: None | str
    """ Why it was refused """
    documents: int
    """ How many documents or payments are in it """
    left_out: list[LeftOutDocument]
    """ Documents that are not in it, at most 200 """
    created_at: datetime.datetime
    """ When it was made """
    updated_at: datetime.datetime
    """ When it last changed """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.left_out_document import LeftOutDocument # noqa: PLC0415
        report_id = str(self.report_id)

        connection_id = str(self.connection_id)

        account = self.account

        kind = self.kind

        start = self.start.isoformat()

        end = self.end.isoformat()

        due_on = self.due_on.isoformat()

        number = self.number

        corrects = self.corrects

        status = self.status

        reason: None | str
        reason = self.reason

        documents = self.documents

        left_out = []
        for left_out_item_data in self.left_out:
            left_out_item = left_out_item_data.to_dict()
            left_out.append(left_out_item)



        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "reportId": report_id,
            "connectionId": connection_id,
            "account": account,
            "kind": kind,
            "start": start,
            "end": end,
            "dueOn": due_on,
            "number": number,
            "corrects": corrects,
            "status": status,
            "reason": reason,
            "documents": documents,
            "leftOut": left_out,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.left_out_document import LeftOutDocument # noqa: PLC0415
        d = dict(src_dict)
        report_id = UUID(d.pop("reportId"))




        connection_id = UUID(d.pop("connectionId"))




        account = d.pop("account")

        kind = d.pop("kind")

        start = datetime.date.fromisoformat(d.pop("start"))




        end = datetime.date.fromisoformat(d.pop("end"))




        due_on = datetime.date.fromisoformat(d.pop("dueOn"))




        number = d.pop("number")

        corrects = d.pop("corrects")

        status = d.pop("status")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        documents = d.pop("documents")

        left_out = []
        _left_out = d.pop("leftOut")
        for left_out_item_data in (_left_out):
            left_out_item = LeftOutDocument.from_dict(left_out_item_data)



            left_out.append(left_out_item)


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        period_report = cls(
            report_id=report_id,
            connection_id=connection_id,
            account=account,
            kind=kind,
            start=start,
            end=end,
            due_on=due_on,
            number=number,
            corrects=corrects,
            status=status,
            reason=reason,
            documents=documents,
            left_out=left_out,
            created_at=created_at,
            updated_at=updated_at,
        )


        period_report.additional_properties = d
        return period_report

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
