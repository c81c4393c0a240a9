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
  from ..models.validation_record import ValidationRecord
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="BatchResult")



@_attrs_define
class BatchResult:
    """ The result of one document. A refused one has `error` and few other members.

     """

    index: int
    """ Zero-based index in the request """
    id: None | str
    """ The invoice; null if it was refused """
    status: str
    """ processing, delivered (only of a replay) or blocked """
    http_status: int
    """ The status that POST /v1/invoices would return """
    idempotency_replay: bool
    """ Whether its key was accepted before """
    transaction_id: str | Unset = UNSET
    """ The transmission, opaque """
    validation: ValidationRecord | Unset = UNSET
    """ The traffic light: green is valid, amber valid with warnings, red is not sent. """
    warnings: list[WarningRecord] | Unset = UNSET
    """ Warnings of rules, and changes of the document """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    error: Problem | Unset = UNSET
    """ A refusal (RFC 7807). `type` says which one it is. Other types may be added: handle an unknown one by its
    status. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        index = self.index

        id: None | str
        id = self.id

        status = self.status

        http_status = self.http_status

        idempotency_replay = self.idempotency_replay

        transaction_id = self.transaction_id

        validation: dict[str, Any] | Unset = UNSET
        if not isinstance(self.validation, Unset):
            validation = self.validation.to_dict()

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)



        truncated = self.truncated

        error: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error, Unset):
            error = self.error.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "index": index,
            "id": id,
            "status": status,
            "httpStatus": http_status,
            "idempotencyReplay": idempotency_replay,
        })
        if transaction_id is not UNSET:
            field_dict["transactionId"] = transaction_id
        if validation is not UNSET:
            field_dict["validation"] = validation
        if warnings is not UNSET:
            field_dict["warnings"] = warnings
        if truncated is not UNSET:
            field_dict["truncated"] = truncated
        if error is not UNSET:
            field_dict["error"] = error

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
        index = d.pop("index")

        def _parse_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        id = _parse_id(d.pop("id"))


        status = d.pop("status")

        http_status = d.pop("httpStatus")

        idempotency_replay = d.pop("idempotencyReplay")

        transaction_id = d.pop("transactionId", UNSET)

        _validation = d.pop("validation", UNSET)
        validation: ValidationRecord | Unset
        if isinstance(_validation,  Unset):
            validation = UNSET
        else:
            validation = ValidationRecord.from_dict(_validation)




        _warnings = d.pop("warnings", UNSET)
        warnings: list[WarningRecord] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = WarningRecord.from_dict(warnings_item_data)



                warnings.append(warnings_item)


        truncated = d.pop("truncated", UNSET)

        _error = d.pop("error", UNSET)
        error: Problem | Unset
        if isinstance(_error,  Unset):
            error = UNSET
        else:
            error = Problem.from_dict(_error)




        batch_result = cls(
            index=index,
            id=id,
            status=status,
            http_status=http_status,
            idempotency_replay=idempotency_replay,
            transaction_id=transaction_id,
            validation=validation,
            warnings=warnings,
            truncated=truncated,
            error=error,
        )


        batch_result.additional_properties = d
        return batch_result

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
