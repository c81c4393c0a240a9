from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="MailSettingsRecord")



@_attrs_define
class MailSettingsRecord:
    """ The e-mails by which the network mail hands out invoices.

     """

    subject: None | str
    """ The subject; null: in the buyer's language """
    text: None | str
    """ The text; null: in the buyer's language """
    reply_to: None | str
    """ Where answers of buyers go """
    attachments: None | str
    """ factur-x or pdf-and-xml """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        subject: None | str
        subject = self.subject

        text: None | str
        text = self.text

        reply_to: None | str
        reply_to = self.reply_to

        attachments: None | str
        attachments = self.attachments


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "subject": subject,
            "text": text,
            "replyTo": reply_to,
            "attachments": attachments,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_subject(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        subject = _parse_subject(d.pop("subject"))


        def _parse_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        text = _parse_text(d.pop("text"))


        def _parse_reply_to(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reply_to = _parse_reply_to(d.pop("replyTo"))


        def _parse_attachments(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        attachments = _parse_attachments(d.pop("attachments"))


        mail_settings_record = cls(
            subject=subject,
            text=text,
            reply_to=reply_to,
            attachments=attachments,
        )


        mail_settings_record.additional_properties = d
        return mail_settings_record

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
