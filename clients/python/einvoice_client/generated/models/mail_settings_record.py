from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.mail_files_record import MailFilesRecord
  from ..models.mail_words_record import MailWordsRecord





T = TypeVar("T", bound="MailSettingsRecord")



@_attrs_define
class MailSettingsRecord:
    """ The e-mails by which the network mail hands out invoices.

     """

    subject: None | str
    """ The subject; null: in the buyer's language """
    text: None | str
    """ The text; null: in the buyer's language """
    templates: list[MailWordsRecord]
    """ Words for buyers of one language """
    reply_to: None | str
    """ Where answers of buyers go """
    attachments: None | str
    """ The files """
    attachments_by_country: list[MailFilesRecord]
    """ Files for buyers in one country """
    sender: None | str
    """ The address they come from """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.mail_files_record import MailFilesRecord # noqa: PLC0415
        from ..models.mail_words_record import MailWordsRecord # noqa: PLC0415
        subject: None | str
        subject = self.subject

        text: None | str
        text = self.text

        templates = []
        for templates_item_data in self.templates:
            templates_item = templates_item_data.to_dict()
            templates.append(templates_item)



        reply_to: None | str
        reply_to = self.reply_to

        attachments: None | str
        attachments = self.attachments

        attachments_by_country = []
        for attachments_by_country_item_data in self.attachments_by_country:
            attachments_by_country_item = attachments_by_country_item_data.to_dict()
            attachments_by_country.append(attachments_by_country_item)



        sender: None | str
        sender = self.sender


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "subject": subject,
            "text": text,
            "templates": templates,
            "replyTo": reply_to,
            "attachments": attachments,
            "attachmentsByCountry": attachments_by_country,
            "sender": sender,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.mail_files_record import MailFilesRecord # noqa: PLC0415
        from ..models.mail_words_record import MailWordsRecord # noqa: PLC0415
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


        templates = []
        _templates = d.pop("templates")
        for templates_item_data in (_templates):
            templates_item = MailWordsRecord.from_dict(templates_item_data)



            templates.append(templates_item)


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


        attachments_by_country = []
        _attachments_by_country = d.pop("attachmentsByCountry")
        for attachments_by_country_item_data in (_attachments_by_country):
            attachments_by_country_item = MailFilesRecord.from_dict(attachments_by_country_item_data)



            attachments_by_country.append(attachments_by_country_item)


        def _parse_sender(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        sender = _parse_sender(d.pop("sender"))


        mail_settings_record = cls(
            subject=subject,
            text=text,
            templates=templates,
            reply_to=reply_to,
            attachments=attachments,
            attachments_by_country=attachments_by_country,
            sender=sender,
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
