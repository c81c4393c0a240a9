from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.validate_request_format_type_1 import ValidateRequestFormatType1
from ..models.validate_request_format_type_2_type_1 import ValidateRequestFormatType2Type1
from ..models.validate_request_format_type_3_type_1 import ValidateRequestFormatType3Type1
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.participant import Participant
  from ..models.validate_request_metadata_type_0 import ValidateRequestMetadataType0





T = TypeVar("T", bound="ValidateRequest")



@_attrs_define
class ValidateRequest:
    """ A document to validate; the other members of a submission are allowed.

     """

    invoice: str
    """ The document in base64: XML (UBL 2.1 or CII D16B, UTF-8), or a PDF with one attached. """
    format_: None | Unset | ValidateRequestFormatType1 | ValidateRequestFormatType2Type1 | ValidateRequestFormatType3Type1 = UNSET
    """ The syntax of the document; auto (default) detects it. """
    network: None | str | Unset = UNSET
    """ The network to use; default peppol. """
    connection: None | str | Unset = UNSET
    """ Id of the connection to send by, at a network that needs an account; needed only where several can be used
    and none is for the seller's tax number. """
    profile: None | str | Unset = UNSET
    """ The profile of the network that the document is to follow; default: the one that it follows, else the first
    that the receiver's lookup lists. """
    sender: None | Participant | Unset = UNSET
    """ Who sends. """
    receiver: None | Participant | Unset = UNSET
    """ The receiver. """
    metadata: None | Unset | ValidateRequestMetadataType0 = UNSET
    """ Your own names and texts: returned with the invoice and in its events, never sent to the receiver; at most
    4096 bytes as JSON. """
    on: datetime.date | None | Unset = UNSET
    """ The day whose rules judge the document; default today. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.participant import Participant # noqa: PLC0415
        from ..models.validate_request_metadata_type_0 import ValidateRequestMetadataType0 # noqa: PLC0415
        invoice = self.invoice

        format_: None | str | Unset
        if isinstance(self.format_, Unset):
            format_ = UNSET
        elif isinstance(self.format_, ValidateRequestFormatType1):
            format_ = self.format_.value
        elif isinstance(self.format_, ValidateRequestFormatType2Type1):
            format_ = self.format_.value
        elif isinstance(self.format_, ValidateRequestFormatType3Type1):
            format_ = self.format_.value
        else:
            format_ = self.format_

        network: None | str | Unset
        if isinstance(self.network, Unset):
            network = UNSET
        else:
            network = self.network

        connection: None | str | Unset
        if isinstance(self.connection, Unset):
            connection = UNSET
        else:
            connection = self.connection

        profile: None | str | Unset
        if isinstance(self.profile, Unset):
            profile = UNSET
        else:
            profile = self.profile

        sender: dict[str, Any] | None | Unset
        if isinstance(self.sender, Unset):
            sender = UNSET
        elif isinstance(self.sender, Participant):
            sender = self.sender.to_dict()
        else:
            sender = self.sender

        receiver: dict[str, Any] | None | Unset
        if isinstance(self.receiver, Unset):
            receiver = UNSET
        elif isinstance(self.receiver, Participant):
            receiver = self.receiver.to_dict()
        else:
            receiver = self.receiver

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, ValidateRequestMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        on: None | str | Unset
        if isinstance(self.on, Unset):
            on = UNSET
        elif isinstance(self.on, datetime.date):
            on = self.on.isoformat()
        else:
            on = self.on


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoice": invoice,
        })
        if format_ is not UNSET:
            field_dict["format"] = format_
        if network is not UNSET:
            field_dict["network"] = network
        if connection is not UNSET:
            field_dict["connection"] = connection
        if profile is not UNSET:
            field_dict["profile"] = profile
        if sender is not UNSET:
            field_dict["sender"] = sender
        if receiver is not UNSET:
            field_dict["receiver"] = receiver
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if on is not UNSET:
            field_dict["on"] = on

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.participant import Participant # noqa: PLC0415
        from ..models.validate_request_metadata_type_0 import ValidateRequestMetadataType0 # noqa: PLC0415
        d = dict(src_dict)
        invoice = d.pop("invoice")

        def _parse_format_(data: object) -> None | Unset | ValidateRequestFormatType1 | ValidateRequestFormatType2Type1 | ValidateRequestFormatType3Type1:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                format_type_1 = ValidateRequestFormatType1(data)



                return format_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                format_type_2_type_1 = ValidateRequestFormatType2Type1(data)



                return format_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                format_type_3_type_1 = ValidateRequestFormatType3Type1(data)



                return format_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | ValidateRequestFormatType1 | ValidateRequestFormatType2Type1 | ValidateRequestFormatType3Type1, data)

        format_ = _parse_format_(d.pop("format", UNSET))


        def _parse_network(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        network = _parse_network(d.pop("network", UNSET))


        def _parse_connection(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        connection = _parse_connection(d.pop("connection", UNSET))


        def _parse_profile(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        profile = _parse_profile(d.pop("profile", UNSET))


        def _parse_sender(data: object) -> None | Participant | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sender_type_0 = Participant.from_dict(data)



                return sender_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Participant | Unset, data)

        sender = _parse_sender(d.pop("sender", UNSET))


        def _parse_receiver(data: object) -> None | Participant | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                receiver_type_0 = Participant.from_dict(data)



                return receiver_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Participant | Unset, data)

        receiver = _parse_receiver(d.pop("receiver", UNSET))


        def _parse_metadata(data: object) -> None | Unset | ValidateRequestMetadataType0:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = ValidateRequestMetadataType0.from_dict(data)



                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | ValidateRequestMetadataType0, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))


        def _parse_on(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                on_type_0 = datetime.date.fromisoformat(data)



                return on_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        on = _parse_on(d.pop("on", UNSET))


        validate_request = cls(
            invoice=invoice,
            format_=format_,
            network=network,
            connection=connection,
            profile=profile,
            sender=sender,
            receiver=receiver,
            metadata=metadata,
            on=on,
        )


        validate_request.additional_properties = d
        return validate_request

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
