from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.problem import Problem
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="SendBatchResult")



@_attrs_define
class SendBatchResult:
    """ The result of one send. A refused one has `error` and few other members.

     """

    index: int
    """ Zero-based index in the request """
    idempotency_key: None | str
    """ The given key """
    invoice_id: None | UUID
    """ The invoice; null if it was refused """
    network_status: None | str
    """ Processing, or Delivered (only of a replay); null if it was refused """
    http_status: int
    """ The status that POST /api/invoices/send would return """
    idempotency_replay: bool
    """ Whether its key was accepted before """
    transaction_id: str | Unset = UNSET
    """ The transmission, opaque """
    warnings: list[WarningRecord] | Unset = UNSET
    """ Assumptions and warnings of rules """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    error: Problem | Unset = UNSET
    """ A refusal (RFC 7807). `type` says which one it is. Other types may be added: handle an unknown one by its
    status. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        index = self.index

        idempotency_key: None | str
        idempotency_key = self.idempotency_key

        invoice_id: None | str
        if isinstance(self.invoice_id, UUID):
            invoice_id = str(self.invoice_id)
        else:
            invoice_id = self.invoice_id

        network_status: None | str
        network_status = self.network_status

        http_status = self.http_status

        idempotency_replay = self.idempotency_replay

        transaction_id = self.transaction_id

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
            "idempotencyKey": idempotency_key,
            "invoiceId": invoice_id,
            "networkStatus": network_status,
            "httpStatus": http_status,
            "idempotencyReplay": idempotency_replay,
        })
        if transaction_id is not UNSET:
            field_dict["transactionId"] = transaction_id
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
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
        index = d.pop("index")

        def _parse_idempotency_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        idempotency_key = _parse_idempotency_key(d.pop("idempotencyKey"))


        def _parse_invoice_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                invoice_id_type_0 = UUID(data)



                return invoice_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        invoice_id = _parse_invoice_id(d.pop("invoiceId"))


        def _parse_network_status(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        network_status = _parse_network_status(d.pop("networkStatus"))


        http_status = d.pop("httpStatus")

        idempotency_replay = d.pop("idempotencyReplay")

        transaction_id = d.pop("transactionId", UNSET)

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




        send_batch_result = cls(
            index=index,
            idempotency_key=idempotency_key,
            invoice_id=invoice_id,
            network_status=network_status,
            http_status=http_status,
            idempotency_replay=idempotency_replay,
            transaction_id=transaction_id,
            warnings=warnings,
            truncated=truncated,
            error=error,
        )


        send_batch_result.additional_properties = d
        return send_batch_result

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
