from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.profile_changes_totals_type_1 import ProfileChangesTotalsType1
from ..models.profile_changes_totals_type_2_type_1 import ProfileChangesTotalsType2Type1
from ..models.profile_changes_totals_type_3_type_1 import ProfileChangesTotalsType3Type1
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.mail_settings import MailSettings
  from ..models.network_choice import NetworkChoice





T = TypeVar("T", bound="ProfileChanges")



@_attrs_define
class ProfileChanges:
    """ A merge patch (RFC 7396): omitted members stay unchanged, null removes.

     """

    name: None | str | Unset = UNSET
    """ The account's name. """
    display_name: None | str | Unset = UNSET
    """ Display name: the text of the logo on PDFs. """
    colour: None | str | Unset = UNSET
    """ The brand colour. """
    address_lines: list[str] | None | Unset = UNSET
    """ Lines of the address, for the preview; PDFs of invoices print the address they state. """
    iban: None | str | Unset = UNSET
    """ IBAN for sends without payment means. """
    bic: None | str | Unset = UNSET
    """ Its bank. """
    account_name: None | str | Unset = UNSET
    """ Its holder. """
    time_zone: None | str | Unset = UNSET
    """ IANA time zone for the day of dates that are not given; without: the seller's country's. """
    website: None | str | Unset = UNSET
    """ For PDFs. """
    email: None | str | Unset = UNSET
    """ For PDFs of invoices that state none. """
    phone: None | str | Unset = UNSET
    """ For PDFs of invoices that state none. """
    strict_idempotency: bool | None | Unset = UNSET
    """ Refuse an Idempotency-Key that is repeated with another body. """
    reject_duplicate_numbers: bool | None | Unset = UNSET
    """ Refuse an invoice number sent before. """
    embed_pdf: bool | None | Unset = UNSET
    """ Embed the PDF in every sent invoice. """
    totals: None | ProfileChangesTotalsType1 | ProfileChangesTotalsType2Type1 | ProfileChangesTotalsType3Type1 | Unset = UNSET
    """ How declared totals are compared in sends that do not say (options.totals). """
    searchable_metadata: list[str] | None | Unset = UNSET
    """ Names in the metadata of invoices by which lists are filtered (metadata.erpId=4711): of invoices that are
    sent from now on; replaces all names. """
    network_choices: list[NetworkChoice] | None | Unset = UNSET
    """ Networks by pair of countries, for sends that name none; replaces all choices. """
    last_resort: None | str | Unset = UNSET
    """ The network for receivers that no other reaches, such as mail; without: such sends are refused. """
    mail: MailSettings | None | Unset = UNSET
    """ The e-mails of the network mail. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.mail_settings import MailSettings # noqa: PLC0415
        from ..models.network_choice import NetworkChoice # noqa: PLC0415
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        display_name: None | str | Unset
        if isinstance(self.display_name, Unset):
            display_name = UNSET
        else:
            display_name = self.display_name

        colour: None | str | Unset
        if isinstance(self.colour, Unset):
            colour = UNSET
        else:
            colour = self.colour

        address_lines: list[str] | None | Unset
        if isinstance(self.address_lines, Unset):
            address_lines = UNSET
        elif isinstance(self.address_lines, list):
            address_lines = self.address_lines


        else:
            address_lines = self.address_lines

        iban: None | str | Unset
        if isinstance(self.iban, Unset):
            iban = UNSET
        else:
            iban = self.iban

        bic: None | str | Unset
        if isinstance(self.bic, Unset):
            bic = UNSET
        else:
            bic = self.bic

        account_name: None | str | Unset
        if isinstance(self.account_name, Unset):
            account_name = UNSET
        else:
            account_name = self.account_name

        time_zone: None | str | Unset
        if isinstance(self.time_zone, Unset):
            time_zone = UNSET
        else:
            time_zone = self.time_zone

        website: None | str | Unset
        if isinstance(self.website, Unset):
            website = UNSET
        else:
            website = self.website

        email: None | str | Unset
        if isinstance(self.email, Unset):
            email = UNSET
        else:
            email = self.email

        phone: None | str | Unset
        if isinstance(self.phone, Unset):
            phone = UNSET
        else:
            phone = self.phone

        strict_idempotency: bool | None | Unset
        if isinstance(self.strict_idempotency, Unset):
            strict_idempotency = UNSET
        else:
            strict_idempotency = self.strict_idempotency

        reject_duplicate_numbers: bool | None | Unset
        if isinstance(self.reject_duplicate_numbers, Unset):
            reject_duplicate_numbers = UNSET
        else:
            reject_duplicate_numbers = self.reject_duplicate_numbers

        embed_pdf: bool | None | Unset
        if isinstance(self.embed_pdf, Unset):
            embed_pdf = UNSET
        else:
            embed_pdf = self.embed_pdf

        totals: None | str | Unset
        if isinstance(self.totals, Unset):
            totals = UNSET
        elif isinstance(self.totals, ProfileChangesTotalsType1):
            totals = self.totals.value
        elif isinstance(self.totals, ProfileChangesTotalsType2Type1):
            totals = self.totals.value
        elif isinstance(self.totals, ProfileChangesTotalsType3Type1):
            totals = self.totals.value
        else:
            totals = self.totals

        searchable_metadata: list[str] | None | Unset
        if isinstance(self.searchable_metadata, Unset):
            searchable_metadata = UNSET
        elif isinstance(self.searchable_metadata, list):
            searchable_metadata = self.searchable_metadata


        else:
            searchable_metadata = self.searchable_metadata

        network_choices: list[dict[str, Any]] | None | Unset
        if isinstance(self.network_choices, Unset):
            network_choices = UNSET
        elif isinstance(self.network_choices, list):
            network_choices = []
            for network_choices_type_0_item_data in self.network_choices:
                network_choices_type_0_item = network_choices_type_0_item_data.to_dict()
                network_choices.append(network_choices_type_0_item)


        else:
            network_choices = self.network_choices

        last_resort: None | str | Unset
        if isinstance(self.last_resort, Unset):
            last_resort = UNSET
        else:
            last_resort = self.last_resort

        mail: dict[str, Any] | None | Unset
        if isinstance(self.mail, Unset):
            mail = UNSET
        elif isinstance(self.mail, MailSettings):
            mail = self.mail.to_dict()
        else:
            mail = self.mail


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if name is not UNSET:
            field_dict["name"] = name
        if display_name is not UNSET:
            field_dict["displayName"] = display_name
        if colour is not UNSET:
            field_dict["colour"] = colour
        if address_lines is not UNSET:
            field_dict["addressLines"] = address_lines
        if iban is not UNSET:
            field_dict["iban"] = iban
        if bic is not UNSET:
            field_dict["bic"] = bic
        if account_name is not UNSET:
            field_dict["accountName"] = account_name
        if time_zone is not UNSET:
            field_dict["timeZone"] = time_zone
        if website is not UNSET:
            field_dict["website"] = website
        if email is not UNSET:
            field_dict["email"] = email
        if phone is not UNSET:
            field_dict["phone"] = phone
        if strict_idempotency is not UNSET:
            field_dict["strictIdempotency"] = strict_idempotency
        if reject_duplicate_numbers is not UNSET:
            field_dict["rejectDuplicateNumbers"] = reject_duplicate_numbers
        if embed_pdf is not UNSET:
            field_dict["embedPdf"] = embed_pdf
        if totals is not UNSET:
            field_dict["totals"] = totals
        if searchable_metadata is not UNSET:
            field_dict["searchableMetadata"] = searchable_metadata
        if network_choices is not UNSET:
            field_dict["networkChoices"] = network_choices
        if last_resort is not UNSET:
            field_dict["lastResort"] = last_resort
        if mail is not UNSET:
            field_dict["mail"] = mail

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.mail_settings import MailSettings # noqa: PLC0415
        from ..models.network_choice import NetworkChoice # noqa: PLC0415
        d = dict(src_dict)
        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_display_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        display_name = _parse_display_name(d.pop("displayName", UNSET))


        def _parse_colour(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        colour = _parse_colour(d.pop("colour", UNSET))


        def _parse_address_lines(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                address_lines_type_0 = cast(list[str], data)

                return address_lines_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        address_lines = _parse_address_lines(d.pop("addressLines", UNSET))


        def _parse_iban(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        iban = _parse_iban(d.pop("iban", UNSET))


        def _parse_bic(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        bic = _parse_bic(d.pop("bic", UNSET))


        def _parse_account_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        account_name = _parse_account_name(d.pop("accountName", UNSET))


        def _parse_time_zone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        time_zone = _parse_time_zone(d.pop("timeZone", UNSET))


        def _parse_website(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        website = _parse_website(d.pop("website", UNSET))


        def _parse_email(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        email = _parse_email(d.pop("email", UNSET))


        def _parse_phone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone = _parse_phone(d.pop("phone", UNSET))


        def _parse_strict_idempotency(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        strict_idempotency = _parse_strict_idempotency(d.pop("strictIdempotency", UNSET))


        def _parse_reject_duplicate_numbers(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        reject_duplicate_numbers = _parse_reject_duplicate_numbers(d.pop("rejectDuplicateNumbers", UNSET))


        def _parse_embed_pdf(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        embed_pdf = _parse_embed_pdf(d.pop("embedPdf", UNSET))


        def _parse_totals(data: object) -> None | ProfileChangesTotalsType1 | ProfileChangesTotalsType2Type1 | ProfileChangesTotalsType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                totals_type_1 = ProfileChangesTotalsType1(data)



                return totals_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                totals_type_2_type_1 = ProfileChangesTotalsType2Type1(data)



                return totals_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                totals_type_3_type_1 = ProfileChangesTotalsType3Type1(data)



                return totals_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ProfileChangesTotalsType1 | ProfileChangesTotalsType2Type1 | ProfileChangesTotalsType3Type1 | Unset, data)

        totals = _parse_totals(d.pop("totals", UNSET))


        def _parse_searchable_metadata(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                searchable_metadata_type_0 = cast(list[str], data)

                return searchable_metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        searchable_metadata = _parse_searchable_metadata(d.pop("searchableMetadata", UNSET))


        def _parse_network_choices(data: object) -> list[NetworkChoice] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                network_choices_type_0 = []
                _network_choices_type_0 = data
                for network_choices_type_0_item_data in (_network_choices_type_0):
                    network_choices_type_0_item = NetworkChoice.from_dict(network_choices_type_0_item_data)



                    network_choices_type_0.append(network_choices_type_0_item)

                return network_choices_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[NetworkChoice] | None | Unset, data)

        network_choices = _parse_network_choices(d.pop("networkChoices", UNSET))


        def _parse_last_resort(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_resort = _parse_last_resort(d.pop("lastResort", UNSET))


        def _parse_mail(data: object) -> MailSettings | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                mail_type_0 = MailSettings.from_dict(data)



                return mail_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MailSettings | None | Unset, data)

        mail = _parse_mail(d.pop("mail", UNSET))


        profile_changes = cls(
            name=name,
            display_name=display_name,
            colour=colour,
            address_lines=address_lines,
            iban=iban,
            bic=bic,
            account_name=account_name,
            time_zone=time_zone,
            website=website,
            email=email,
            phone=phone,
            strict_idempotency=strict_idempotency,
            reject_duplicate_numbers=reject_duplicate_numbers,
            embed_pdf=embed_pdf,
            totals=totals,
            searchable_metadata=searchable_metadata,
            network_choices=network_choices,
            last_resort=last_resort,
            mail=mail,
        )


        profile_changes.additional_properties = d
        return profile_changes

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
