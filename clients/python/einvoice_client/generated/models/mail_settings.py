from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.mail_settings_attachments_type_1 import MailSettingsAttachmentsType1
from ..models.mail_settings_attachments_type_2_type_1 import MailSettingsAttachmentsType2Type1
from ..models.mail_settings_attachments_type_3_type_1 import MailSettingsAttachmentsType3Type1
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.mail_files import MailFiles
  from ..models.mail_words import MailWords





T = TypeVar("T", bound="MailSettings")



@_attrs_define
class MailSettings:
    """ The e-mails by which the network mail hands out invoices; replaces all of them. In the words, {number}, {seller},
    {buyer}, {date}, {amount}, {due} and {link} stand for values.

     """

    subject: None | str | Unset = UNSET
    """ The subject, in place of the one in the buyer's language. """
    text: None | str | Unset = UNSET
    """ The text, in place of the one in the buyer's language; plain text. """
    templates: list[MailWords] | None | Unset = UNSET
    """ Words for buyers of one language, in place of `subject` and `text`. """
    reply_to: None | str | Unset = UNSET
    """ Where answers of buyers go; without: the e-mail of the account. """
    attachments: MailSettingsAttachmentsType1 | MailSettingsAttachmentsType2Type1 | MailSettingsAttachmentsType3Type1 | None | Unset = UNSET
    """ The files: factur-x (a PDF with the invoice inside), or the PDF with XML of EN 16931 (pdf-and-xml), of
    XRechnung or of Peppol BIS side by side. """
    attachments_by_country: list[MailFiles] | None | Unset = UNSET
    """ Files for buyers in one country, in place of `attachments`. """
    sender: None | str | Unset = UNSET
    """ The address they come from, at a domain of /api/mail/domains; used while that is verified. Without: the
    operator's. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.mail_files import MailFiles # noqa: PLC0415
        from ..models.mail_words import MailWords # noqa: PLC0415
        subject: None | str | Unset
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

        text: None | str | Unset
        if isinstance(self.text, Unset):
            text = UNSET
        else:
            text = self.text

        templates: list[dict[str, Any]] | None | Unset
        if isinstance(self.templates, Unset):
            templates = UNSET
        elif isinstance(self.templates, list):
            templates = []
            for templates_type_0_item_data in self.templates:
                templates_type_0_item = templates_type_0_item_data.to_dict()
                templates.append(templates_type_0_item)


        else:
            templates = self.templates

        reply_to: None | str | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        else:
            reply_to = self.reply_to

        attachments: None | str | Unset
        if isinstance(self.attachments, Unset):
            attachments = UNSET
        elif isinstance(self.attachments, MailSettingsAttachmentsType1):
            attachments = self.attachments.value
        elif isinstance(self.attachments, MailSettingsAttachmentsType2Type1):
            attachments = self.attachments.value
        elif isinstance(self.attachments, MailSettingsAttachmentsType3Type1):
            attachments = self.attachments.value
        else:
            attachments = self.attachments

        attachments_by_country: list[dict[str, Any]] | None | Unset
        if isinstance(self.attachments_by_country, Unset):
            attachments_by_country = UNSET
        elif isinstance(self.attachments_by_country, list):
            attachments_by_country = []
            for attachments_by_country_type_0_item_data in self.attachments_by_country:
                attachments_by_country_type_0_item = attachments_by_country_type_0_item_data.to_dict()
                attachments_by_country.append(attachments_by_country_type_0_item)


        else:
            attachments_by_country = self.attachments_by_country

        sender: None | str | Unset
        if isinstance(self.sender, Unset):
            sender = UNSET
        else:
            sender = self.sender


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if subject is not UNSET:
            field_dict["subject"] = subject
        if text is not UNSET:
            field_dict["text"] = text
        if templates is not UNSET:
            field_dict["templates"] = templates
        if reply_to is not UNSET:
            field_dict["replyTo"] = reply_to
        if attachments is not UNSET:
            field_dict["attachments"] = attachments
        if attachments_by_country is not UNSET:
            field_dict["attachmentsByCountry"] = attachments_by_country
        if sender is not UNSET:
            field_dict["sender"] = sender

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.mail_files import MailFiles # noqa: PLC0415
        from ..models.mail_words import MailWords # noqa: PLC0415
        d = dict(src_dict)
        def _parse_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subject = _parse_subject(d.pop("subject", UNSET))


        def _parse_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text = _parse_text(d.pop("text", UNSET))


        def _parse_templates(data: object) -> list[MailWords] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                templates_type_0 = []
                _templates_type_0 = data
                for templates_type_0_item_data in (_templates_type_0):
                    templates_type_0_item = MailWords.from_dict(templates_type_0_item_data)



                    templates_type_0.append(templates_type_0_item)

                return templates_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MailWords] | None | Unset, data)

        templates = _parse_templates(d.pop("templates", UNSET))


        def _parse_reply_to(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reply_to = _parse_reply_to(d.pop("replyTo", UNSET))


        def _parse_attachments(data: object) -> MailSettingsAttachmentsType1 | MailSettingsAttachmentsType2Type1 | MailSettingsAttachmentsType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                attachments_type_1 = MailSettingsAttachmentsType1(data)



                return attachments_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                attachments_type_2_type_1 = MailSettingsAttachmentsType2Type1(data)



                return attachments_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                attachments_type_3_type_1 = MailSettingsAttachmentsType3Type1(data)



                return attachments_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MailSettingsAttachmentsType1 | MailSettingsAttachmentsType2Type1 | MailSettingsAttachmentsType3Type1 | None | Unset, data)

        attachments = _parse_attachments(d.pop("attachments", UNSET))


        def _parse_attachments_by_country(data: object) -> list[MailFiles] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                attachments_by_country_type_0 = []
                _attachments_by_country_type_0 = data
                for attachments_by_country_type_0_item_data in (_attachments_by_country_type_0):
                    attachments_by_country_type_0_item = MailFiles.from_dict(attachments_by_country_type_0_item_data)



                    attachments_by_country_type_0.append(attachments_by_country_type_0_item)

                return attachments_by_country_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MailFiles] | None | Unset, data)

        attachments_by_country = _parse_attachments_by_country(d.pop("attachmentsByCountry", UNSET))


        def _parse_sender(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        sender = _parse_sender(d.pop("sender", UNSET))


        mail_settings = cls(
            subject=subject,
            text=text,
            templates=templates,
            reply_to=reply_to,
            attachments=attachments,
            attachments_by_country=attachments_by_country,
            sender=sender,
        )


        mail_settings.additional_properties = d
        return mail_settings

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
