from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.logo_info import LogoInfo
  from ..models.mail_settings_record import MailSettingsRecord
  from ..models.network_choice_record import NetworkChoiceRecord





T = TypeVar("T", bound="Profile")



@_attrs_define
class Profile:
    """ The account. null: not set.

     """

    tenant_id: UUID
    """ The account's id """
    name: str
    """ Its name """
    display_name: None | str
    """ The text of the logo on PDFs """
    colour: None | str
    """ The brand colour """
    iban: None | str
    """ IBAN for sends without payment means """
    bic: None | str
    """ Its bank """
    account_name: None | str
    """ Its holder """
    time_zone: None | str
    """ IANA time zone of its days """
    website: None | str
    """ On PDFs """
    email: None | str
    """ On PDFs """
    phone: None | str
    """ On PDFs """
    logo: LogoInfo | None
    """ The logo; GET /api/tenant/logo returns the image """
    address_lines: list[str]
    """ The address on the preview """
    strict_idempotency: bool
    """ Whether keys with another body are refused """
    reject_duplicate_numbers: bool
    """ Whether numbers sent before are refused """
    embed_pdf: bool
    """ Whether the PDF is embedded in sent invoices """
    totals: str
    """ How declared totals are compared: exact or rounded """
    searchable_metadata: list[str]
    """ Names in the metadata of invoices by which lists are filtered """
    network_choices: list[NetworkChoiceRecord]
    """ Networks by pair of countries, for sends that name none """
    last_resort: None | str
    """ The network for receivers that no other reaches """
    mail: MailSettingsRecord | None
    """ The e-mails of the network mail """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.logo_info import LogoInfo # noqa: PLC0415
        from ..models.mail_settings_record import MailSettingsRecord # noqa: PLC0415
        from ..models.network_choice_record import NetworkChoiceRecord # noqa: PLC0415
        tenant_id = str(self.tenant_id)

        name = self.name

        display_name: None | str
        display_name = self.display_name

        colour: None | str
        colour = self.colour

        iban: None | str
        iban = self.iban

        bic: None | str
        bic = self.bic

        account_name: None | str
        account_name = self.account_name

        time_zone: None | str
        time_zone = self.time_zone

        website: None | str
        website = self.website

        email: None | str
        email = self.email

        phone: None | str
        phone = self.phone

        logo: dict[str, Any] | None
        if isinstance(self.logo, LogoInfo):
            logo = self.logo.to_dict()
        else:
            logo = self.logo

        address_lines = self.address_lines



        strict_idempotency = self.strict_idempotency

        reject_duplicate_numbers = self.reject_duplicate_numbers

        embed_pdf = self.embed_pdf

        totals = self.totals

        searchable_metadata = self.searchable_metadata



        network_choices = []
        for network_choices_item_data in self.network_choices:
            network_choices_item = network_choices_item_data.to_dict()
            network_choices.append(network_choices_item)



        last_resort: None | str
        last_resort = self.last_resort

        mail: dict[str, Any] | None
        if isinstance(self.mail, MailSettingsRecord):
            mail = self.mail.to_dict()
        else:
            mail = self.mail

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "name": name,
            "displayName": display_name,
            "colour": colour,
            "iban": iban,
            "bic": bic,
            "accountName": account_name,
            "timeZone": time_zone,
            "website": website,
            "email": email,
            "phone": phone,
            "logo": logo,
            "addressLines": address_lines,
            "strictIdempotency": strict_idempotency,
            "rejectDuplicateNumbers": reject_duplicate_numbers,
            "embedPdf": embed_pdf,
            "totals": totals,
            "searchableMetadata": searchable_metadata,
            "networkChoices": network_choices,
            "lastResort": last_resort,
            "mail": mail,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.logo_info import LogoInfo # noqa: PLC0415
        from ..models.mail_settings_record import MailSettingsRecord # noqa: PLC0415
        from ..models.network_choice_record import NetworkChoiceRecord # noqa: PLC0415
        d = dict(src_dict)
        tenant_id = UUID(d.pop("tenantId"))




        name = d.pop("name")

        def _parse_display_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        display_name = _parse_display_name(d.pop("displayName"))


        def _parse_colour(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        colour = _parse_colour(d.pop("colour"))


        def _parse_iban(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        iban = _parse_iban(d.pop("iban"))


        def _parse_bic(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        bic = _parse_bic(d.pop("bic"))


        def _parse_account_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        account_name = _parse_account_name(d.pop("accountName"))


        def _parse_time_zone(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        time_zone = _parse_time_zone(d.pop("timeZone"))


        def _parse_website(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        website = _parse_website(d.pop("website"))


        def _parse_email(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        email = _parse_email(d.pop("email"))


        def _parse_phone(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        phone = _parse_phone(d.pop("phone"))


        def _parse_logo(data: object) -> LogoInfo | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                logo_type_0 = LogoInfo.from_dict(data)



                return logo_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LogoInfo | None, data)

        logo = _parse_logo(d.pop("logo"))


        address_lines = cast(list[str], d.pop("addressLines"))


        strict_idempotency = d.pop("strictIdempotency")

        reject_duplicate_numbers = d.pop("rejectDuplicateNumbers")

        embed_pdf = d.pop("embedPdf")

        totals = d.pop("totals")

        searchable_metadata = cast(list[str], d.pop("searchableMetadata"))


        network_choices = []
        _network_choices = d.pop("networkChoices")
        for network_choices_item_data in (_network_choices):
            network_choices_item = NetworkChoiceRecord.from_dict(network_choices_item_data)



            network_choices.append(network_choices_item)


        def _parse_last_resort(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        last_resort = _parse_last_resort(d.pop("lastResort"))


        def _parse_mail(data: object) -> MailSettingsRecord | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                mail_type_0 = MailSettingsRecord.from_dict(data)



                return mail_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MailSettingsRecord | None, data)

        mail = _parse_mail(d.pop("mail"))


        provider = d.pop("provider")

        profile = cls(
            tenant_id=tenant_id,
            name=name,
            display_name=display_name,
            colour=colour,
            iban=iban,
            bic=bic,
            account_name=account_name,
            time_zone=time_zone,
            website=website,
            email=email,
            phone=phone,
            logo=logo,
            address_lines=address_lines,
            strict_idempotency=strict_idempotency,
            reject_duplicate_numbers=reject_duplicate_numbers,
            embed_pdf=embed_pdf,
            totals=totals,
            searchable_metadata=searchable_metadata,
            network_choices=network_choices,
            last_resort=last_resort,
            mail=mail,
            provider=provider,
        )


        profile.additional_properties = d
        return profile

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
