from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.party_record import PartyRecord
  from ..models.validation_record import ValidationRecord
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="SubmitResponse")



@_attrs_define
class SubmitResponse:
    """ The first answer to a submission; later changes are reported by webhook and GET.

     """

    id: str
    """ The invoice; the same as invoiceId at the public API """
    transaction_id: str
    """ The transmission, opaque """
    status: str
    """ delivered (200) or processing (202); GET has further statuses """
    network_status: str
    """ Processing or Delivered """
    format_: str
    """ Submitted format: ubl or cii """
    network: str
    """ The network """
    document_type: str
    """ invoice, creditNote, selfBilledInvoice or selfBilledCreditNote """
    number: str
    """ Invoice number """
    sender: PartyRecord
    """ A party of the delivery. """
    receiver: PartyRecord
    """ A party of the delivery. """
    validation: ValidationRecord
    """ The traffic light: green is valid, amber valid with warnings, red is not sent. """
    warnings: list[WarningRecord]
    """ Warnings of rules, improbable values, and changes of the document """
    created_at: datetime.datetime
    """ When it was accepted """
    idempotency_key_echo: None | str
    """ The given Idempotency-Key, or null """
    provider: str
    """ This service """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.party_record import PartyRecord # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        id = self.id

        transaction_id = self.transaction_id

        status = self.status

        network_status = self.network_status

        format_ = self.format_

        network = self.network

        document_type = self.document_type

        number = self.number

        sender = self.sender.to_dict()

        receiver = self.receiver.to_dict()

        validation = self.validation.to_dict()

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)



        created_at = self.created_at.isoformat()

        idempotency_key_echo: None | str
        idempotency_key_echo = self.idempotency_key_echo

        provider = self.provider

        truncated = self.truncated


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "transactionId": transaction_id,
            "status": status,
            "networkStatus": network_status,
            "format": format_,
            "network": network,
            "documentType": document_type,
            "number": number,
            "sender": sender,
            "receiver": receiver,
            "validation": validation,
            "warnings": warnings,
            "createdAt": created_at,
            "idempotencyKeyEcho": idempotency_key_echo,
            "provider": provider,
        })
        if truncated is not UNSET:
            field_dict["truncated"] = truncated

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.party_record import PartyRecord # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        transaction_id = d.pop("transactionId")

        status = d.pop("status")

        network_status = d.pop("networkStatus")

        format_ = d.pop("format")

        network = d.pop("network")

        document_type = d.pop("documentType")

        number = d.pop("number")

        sender = PartyRecord.from_dict(d.pop("sender"))




        receiver = PartyRecord.from_dict(d.pop("receiver"))




        validation = ValidationRecord.from_dict(d.pop("validation"))




        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in (_warnings):
            warnings_item = WarningRecord.from_dict(warnings_item_data)



            warnings.append(warnings_item)


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        def _parse_idempotency_key_echo(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        idempotency_key_echo = _parse_idempotency_key_echo(d.pop("idempotencyKeyEcho"))


        provider = d.pop("provider")

        truncated = d.pop("truncated", UNSET)

        submit_response = cls(
            id=id,
            transaction_id=transaction_id,
            status=status,
            network_status=network_status,
            format_=format_,
            network=network,
            document_type=document_type,
            number=number,
            sender=sender,
            receiver=receiver,
            validation=validation,
            warnings=warnings,
            created_at=created_at,
            idempotency_key_echo=idempotency_key_echo,
            provider=provider,
            truncated=truncated,
        )


        submit_response.additional_properties = d
        return submit_response

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
