from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.problem import Problem





T = TypeVar("T", bound="BatchState")



@_attrs_define
class BatchState:
    """ The current state of one document.

     """

    index: int
    """ Zero-based index in the request """
    id: None | str
    """ The invoice; null if it was refused """
    status: str
    """ queued, processing, delivered, failed, acknowledged, rejected or blocked """
    error: Problem | Unset = UNSET
    """ A refusal (RFC 7807). `type` says which one it is. Other types may be added: handle an unknown one by its
    status. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem # noqa: PLC0415
        index = self.index

        id: None | str
        id = self.id

        status = self.status

        error: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error, Unset):
            error = self.error.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "index": index,
            "id": id,
            "status": status,
        })
        if error is not UNSET:
            field_dict["error"] = error

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem # noqa: PLC0415
        d = dict(src_dict)
        index = d.pop("index")

        def _parse_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        id = _parse_id(d.pop("id"))


        status = d.pop("status")

        _error = d.pop("error", UNSET)
        error: Problem | Unset
        if isinstance(_error,  Unset):
            error = UNSET
        else:
            error = Problem.from_dict(_error)




        batch_state = cls(
            index=index,
            id=id,
            status=status,
            error=error,
        )


        batch_state.additional_properties = d
        return batch_state

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
