from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.send_batch_result import SendBatchResult





T = TypeVar("T", bound="SendBatchResponse")



@_attrs_define
class SendBatchResponse:
    """ The results of the sends, in the order of the request.

     """

    batch_id: UUID
    """ Id for GET /api/invoices/batch/{batchId} """
    total: int
    """ Sends in the request """
    accepted: int
    """ Accepted sends, including those sent before """
    rejected: int
    """ Refused sends """
    results: list[SendBatchResult]
    """ One for each send """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.send_batch_result import SendBatchResult # noqa: PLC0415
        batch_id = str(self.batch_id)

        total = self.total

        accepted = self.accepted

        rejected = self.rejected

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)



        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "batchId": batch_id,
            "total": total,
            "accepted": accepted,
            "rejected": rejected,
            "results": results,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.send_batch_result import SendBatchResult # noqa: PLC0415
        d = dict(src_dict)
        batch_id = UUID(d.pop("batchId"))




        total = d.pop("total")

        accepted = d.pop("accepted")

        rejected = d.pop("rejected")

        results = []
        _results = d.pop("results")
        for results_item_data in (_results):
            results_item = SendBatchResult.from_dict(results_item_data)



            results.append(results_item)


        provider = d.pop("provider")

        send_batch_response = cls(
            batch_id=batch_id,
            total=total,
            accepted=accepted,
            rejected=rejected,
            results=results,
            provider=provider,
        )


        send_batch_response.additional_properties = d
        return send_batch_response

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
