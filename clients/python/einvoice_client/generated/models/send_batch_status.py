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
  from ..models.send_batch_counts import SendBatchCounts
  from ..models.send_batch_state import SendBatchState





T = TypeVar("T", bound="SendBatchStatus")



@_attrs_define
class SendBatchStatus:
    """ The current state of a batch.

     """

    batch_id: UUID
    """ The batch """
    total: int
    """ Sends in the request """
    finished: bool
    """ Whether none is Processing """
    counts: SendBatchCounts
    """ The number of sends by state. """
    results: list[SendBatchState]
    """ Each send """
    created_at: datetime.datetime
    """ When it was accepted """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.send_batch_counts import SendBatchCounts # noqa: PLC0415
        from ..models.send_batch_state import SendBatchState # noqa: PLC0415
        batch_id = str(self.batch_id)

        total = self.total

        finished = self.finished

        counts = self.counts.to_dict()

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)



        created_at = self.created_at.isoformat()

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "batchId": batch_id,
            "total": total,
            "finished": finished,
            "counts": counts,
            "results": results,
            "createdAt": created_at,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.send_batch_counts import SendBatchCounts # noqa: PLC0415
        from ..models.send_batch_state import SendBatchState # noqa: PLC0415
        d = dict(src_dict)
        batch_id = UUID(d.pop("batchId"))




        total = d.pop("total")

        finished = d.pop("finished")

        counts = SendBatchCounts.from_dict(d.pop("counts"))




        results = []
        _results = d.pop("results")
        for results_item_data in (_results):
            results_item = SendBatchState.from_dict(results_item_data)



            results.append(results_item)


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        provider = d.pop("provider")

        send_batch_status = cls(
            batch_id=batch_id,
            total=total,
            finished=finished,
            counts=counts,
            results=results,
            created_at=created_at,
            provider=provider,
        )


        send_batch_status.additional_properties = d
        return send_batch_status

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
