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
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="SendResponse")



@_attrs_define
class SendResponse:
    """ The first answer to a send; later changes are reported by webhook and GET.

     """

    invoice_id: None | UUID
    """ The invoice; null in a dry run """
    transaction_id: None | str
    """ The transmission, opaque; null in a dry run """
    status: str
    """ Always success """
    network_status: None | str
    """ Processing in the first answer; null in a dry run """
    idempotency_key_echo: None | str
    """ The given Idempotency-Key, or null """
    provider: str
    """ This service """
    warnings: list[WarningRecord] | Unset = UNSET
    """ Assumptions and warnings of rules; absent if there are none """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    dry_run: bool | Unset = UNSET
    """ true if nothing was stored; absent otherwise """
    document: str | Unset = UNSET
    """ The XML document that would be sent; only with options.includeDocument """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        invoice_id: None | str
        if isinstance(self.invoice_id, UUID):
            invoice_id = str(self.invoice_id)
        else:
            invoice_id = self.invoice_id

        transaction_id: None | str
        transaction_id = self.transaction_id

        status = self.status

        network_status: None | str
        network_status = self.network_status

        idempotency_key_echo: None | str
        idempotency_key_echo = self.idempotency_key_echo

        provider = self.provider

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)



        truncated = self.truncated

        dry_run = self.dry_run

        document = self.document


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoiceId": invoice_id,
            "transactionId": transaction_id,
            "status": status,
            "networkStatus": network_status,
            "idempotencyKeyEcho": idempotency_key_echo,
            "provider": provider,
        })
        if warnings is not UNSET:
            field_dict["warnings"] = warnings
        if truncated is not UNSET:
            field_dict["truncated"] = truncated
        if dry_run is not UNSET:
            field_dict["dryRun"] = dry_run
        if document is not UNSET:
            field_dict["document"] = document

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
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


        def _parse_transaction_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        transaction_id = _parse_transaction_id(d.pop("transactionId"))


        status = d.pop("status")

        def _parse_network_status(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        network_status = _parse_network_status(d.pop("networkStatus"))


        def _parse_idempotency_key_echo(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        idempotency_key_echo = _parse_idempotency_key_echo(d.pop("idempotencyKeyEcho"))


        provider = d.pop("provider")

        _warnings = d.pop("warnings", UNSET)
        warnings: list[WarningRecord] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = WarningRecord.from_dict(warnings_item_data)



                warnings.append(warnings_item)


        truncated = d.pop("truncated", UNSET)

        dry_run = d.pop("dryRun", UNSET)

        document = d.pop("document", UNSET)

        send_response = cls(
            invoice_id=invoice_id,
            transaction_id=transaction_id,
            status=status,
            network_status=network_status,
            idempotency_key_echo=idempotency_key_echo,
            provider=provider,
            warnings=warnings,
            truncated=truncated,
            dry_run=dry_run,
            document=document,
        )


        send_response.additional_properties = d
        return send_response

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
