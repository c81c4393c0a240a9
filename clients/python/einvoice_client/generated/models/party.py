from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.party_company_id_type_type_1 import PartyCompanyIdTypeType1
from ..models.party_company_id_type_type_2_type_1 import PartyCompanyIdTypeType2Type1
from ..models.party_company_id_type_type_3_type_1 import PartyCompanyIdTypeType3Type1
from ..models.party_identifier_type_type_1 import PartyIdentifierTypeType1
from ..models.party_identifier_type_type_2_type_1 import PartyIdentifierTypeType2Type1
from ..models.party_identifier_type_type_3_type_1 import PartyIdentifierTypeType3Type1
from ..models.party_special_zone_type_1 import PartySpecialZoneType1
from ..models.party_special_zone_type_2_type_1 import PartySpecialZoneType2Type1
from ..models.party_special_zone_type_3_type_1 import PartySpecialZoneType3Type1
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.address import Address
  from ..models.contact import Contact
  from ..models.identifier import Identifier





T = TypeVar("T", bound="Party")



@_attrs_define
class Party:


    name: str
    """ Legal name. """
    tax_id: None | str | Unset = UNSET
    """ VAT number, in any spelling; spaces . - / are ignored. A number without the form of its country's VAT
    numbers is no VAT number: a supplier's becomes its tax registration. """
    company_id: None | str | Unset = UNSET
    """ Number in the company register, plain or as <scheme>:<identifier>. Without it, only a participant id or tax
    id that is or contains a register number is written as one, with a warning: send it for a party addressed by
    GLN. """
    endpoint_id: None | str | Unset = UNSET
    """ Electronic address in the document instead of the routing id. """
    trading_name: None | str | Unset = UNSET
    """ Trading name, if it is not the legal name. """
    identifiers: list[Identifier] | None | Unset = UNSET
    """ Further identifiers (BT-29, BT-46), such as a GLN, a SIRET (0009) or a customer number. EN 16931 has one of
    a buyer. """
    company_id_type: None | PartyCompanyIdTypeType1 | PartyCompanyIdTypeType2Type1 | PartyCompanyIdTypeType3Type1 | Unset = UNSET
    """ Of PINT AE: the kind of companyId: TL (trade license), CL (commercial license), EID (Emirates ID), PAS
    (passport) or CD (decision of the cabinet). """
    company_id_authority: None | str | Unset = UNSET
    """ Of PINT AE: who issued companyId: the authority of a trade license, the country code of a passport. """
    identifier_type: None | PartyIdentifierTypeType1 | PartyIdentifierTypeType2Type1 | PartyIdentifierTypeType3Type1 | Unset = UNSET
    """ Of PINT OM: the kind of the first of identifiers: CR (commercial register), TIN, CID (card), PASNUM
    (passport), ICID (importer), SZLN (special zone) or OTHID. """
    special_zone: None | PartySpecialZoneType1 | PartySpecialZoneType2Type1 | PartySpecialZoneType3Type1 | Unset = UNSET
    """ Of PINT OM: the special zone of the address; MO is the mainland. """
    address: Address | None | Unset = UNSET
    """ Postal address. """
    contact: Contact | None | Unset = UNSET
    """ Contact for questions about the invoice. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.address import Address # noqa: PLC0415
        from ..models.contact import Contact # noqa: PLC0415
        from ..models.identifier import Identifier # noqa: PLC0415
        name = self.name

        tax_id: None | str | Unset
        if isinstance(self.tax_id, Unset):
            tax_id = UNSET
        else:
            tax_id = self.tax_id

        company_id: None | str | Unset
        if isinstance(self.company_id, Unset):
            company_id = UNSET
        else:
            company_id = self.company_id

        endpoint_id: None | str | Unset
        if isinstance(self.endpoint_id, Unset):
            endpoint_id = UNSET
        else:
            endpoint_id = self.endpoint_id

        trading_name: None | str | Unset
        if isinstance(self.trading_name, Unset):
            trading_name = UNSET
        else:
            trading_name = self.trading_name

        identifiers: list[dict[str, Any]] | None | Unset
        if isinstance(self.identifiers, Unset):
            identifiers = UNSET
        elif isinstance(self.identifiers, list):
            identifiers = []
            for identifiers_type_0_item_data in self.identifiers:
                identifiers_type_0_item = identifiers_type_0_item_data.to_dict()
                identifiers.append(identifiers_type_0_item)


        else:
            identifiers = self.identifiers

        company_id_type: None | str | Unset
        if isinstance(self.company_id_type, Unset):
            company_id_type = UNSET
        elif isinstance(self.company_id_type, PartyCompanyIdTypeType1):
            company_id_type = self.company_id_type.value
        elif isinstance(self.company_id_type, PartyCompanyIdTypeType2Type1):
            company_id_type = self.company_id_type.value
        elif isinstance(self.company_id_type, PartyCompanyIdTypeType3Type1):
            company_id_type = self.company_id_type.value
        else:
            company_id_type = self.company_id_type

        company_id_authority: None | str | Unset
        if isinstance(self.company_id_authority, Unset):
            company_id_authority = UNSET
        else:
            company_id_authority = self.company_id_authority

        identifier_type: None | str | Unset
        if isinstance(self.identifier_type, Unset):
            identifier_type = UNSET
        elif isinstance(self.identifier_type, PartyIdentifierTypeType1):
            identifier_type = self.identifier_type.value
        elif isinstance(self.identifier_type, PartyIdentifierTypeType2Type1):
            identifier_type = self.identifier_type.value
        elif isinstance(self.identifier_type, PartyIdentifierTypeType3Type1):
            identifier_type = self.identifier_type.value
        else:
            identifier_type = self.identifier_type

        special_zone: None | str | Unset
        if isinstance(self.special_zone, Unset):
            special_zone = UNSET
        elif isinstance(self.special_zone, PartySpecialZoneType1):
            special_zone = self.special_zone.value
        elif isinstance(self.special_zone, PartySpecialZoneType2Type1):
            special_zone = self.special_zone.value
        elif isinstance(self.special_zone, PartySpecialZoneType3Type1):
            special_zone = self.special_zone.value
        else:
            special_zone = self.special_zone

        address: dict[str, Any] | None | Unset
        if isinstance(self.address, Unset):
            address = UNSET
        elif isinstance(self.address, Address):
            address = self.address.to_dict()
        else:
            address = self.address

        contact: dict[str, Any] | None | Unset
        if isinstance(self.contact, Unset):
            contact = UNSET
        elif isinstance(self.contact, Contact):
            contact = self.contact.to_dict()
        else:
            contact = self.contact


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
        })
        if tax_id is not UNSET:
            field_dict["taxId"] = tax_id
        if company_id is not UNSET:
            field_dict["companyId"] = company_id
        if endpoint_id is not UNSET:
            field_dict["endpointId"] = endpoint_id
        if trading_name is not UNSET:
            field_dict["tradingName"] = trading_name
        if identifiers is not UNSET:
            field_dict["identifiers"] = identifiers
        if company_id_type is not UNSET:
            field_dict["companyIdType"] = company_id_type
        if company_id_authority is not UNSET:
            field_dict["companyIdAuthority"] = company_id_authority
        if identifier_type is not UNSET:
            field_dict["identifierType"] = identifier_type
        if special_zone is not UNSET:
            field_dict["specialZone"] = special_zone
        if address is not UNSET:
            field_dict["address"] = address
        if contact is not UNSET:
            field_dict["contact"] = contact

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.address import Address # noqa: PLC0415
        from ..models.contact import Contact # noqa: PLC0415
        from ..models.identifier import Identifier # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_tax_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        tax_id = _parse_tax_id(d.pop("taxId", UNSET))


        def _parse_company_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        company_id = _parse_company_id(d.pop("companyId", UNSET))


        def _parse_endpoint_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        endpoint_id = _parse_endpoint_id(d.pop("endpointId", UNSET))


        def _parse_trading_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        trading_name = _parse_trading_name(d.pop("tradingName", UNSET))


        def _parse_identifiers(data: object) -> list[Identifier] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                identifiers_type_0 = []
                _identifiers_type_0 = data
                for identifiers_type_0_item_data in (_identifiers_type_0):
                    identifiers_type_0_item = Identifier.from_dict(identifiers_type_0_item_data)



                    identifiers_type_0.append(identifiers_type_0_item)

                return identifiers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Identifier] | None | Unset, data)

        identifiers = _parse_identifiers(d.pop("identifiers", UNSET))


        def _parse_company_id_type(data: object) -> None | PartyCompanyIdTypeType1 | PartyCompanyIdTypeType2Type1 | PartyCompanyIdTypeType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                company_id_type_type_1 = PartyCompanyIdTypeType1(data)



                return company_id_type_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                company_id_type_type_2_type_1 = PartyCompanyIdTypeType2Type1(data)



                return company_id_type_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                company_id_type_type_3_type_1 = PartyCompanyIdTypeType3Type1(data)



                return company_id_type_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PartyCompanyIdTypeType1 | PartyCompanyIdTypeType2Type1 | PartyCompanyIdTypeType3Type1 | Unset, data)

        company_id_type = _parse_company_id_type(d.pop("companyIdType", UNSET))


        def _parse_company_id_authority(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        company_id_authority = _parse_company_id_authority(d.pop("companyIdAuthority", UNSET))


        def _parse_identifier_type(data: object) -> None | PartyIdentifierTypeType1 | PartyIdentifierTypeType2Type1 | PartyIdentifierTypeType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                identifier_type_type_1 = PartyIdentifierTypeType1(data)



                return identifier_type_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                identifier_type_type_2_type_1 = PartyIdentifierTypeType2Type1(data)



                return identifier_type_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                identifier_type_type_3_type_1 = PartyIdentifierTypeType3Type1(data)



                return identifier_type_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PartyIdentifierTypeType1 | PartyIdentifierTypeType2Type1 | PartyIdentifierTypeType3Type1 | Unset, data)

        identifier_type = _parse_identifier_type(d.pop("identifierType", UNSET))


        def _parse_special_zone(data: object) -> None | PartySpecialZoneType1 | PartySpecialZoneType2Type1 | PartySpecialZoneType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                special_zone_type_1 = PartySpecialZoneType1(data)



                return special_zone_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                special_zone_type_2_type_1 = PartySpecialZoneType2Type1(data)



                return special_zone_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                special_zone_type_3_type_1 = PartySpecialZoneType3Type1(data)



                return special_zone_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PartySpecialZoneType1 | PartySpecialZoneType2Type1 | PartySpecialZoneType3Type1 | Unset, data)

        special_zone = _parse_special_zone(d.pop("specialZone", UNSET))


        def _parse_address(data: object) -> Address | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                address_type_0 = Address.from_dict(data)



                return address_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Address | None | Unset, data)

        address = _parse_address(d.pop("address", UNSET))


        def _parse_contact(data: object) -> Contact | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                contact_type_0 = Contact.from_dict(data)



                return contact_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Contact | None | Unset, data)

        contact = _parse_contact(d.pop("contact", UNSET))


        party = cls(
            name=name,
            tax_id=tax_id,
            company_id=company_id,
            endpoint_id=endpoint_id,
            trading_name=trading_name,
            identifiers=identifiers,
            company_id_type=company_id_type,
            company_id_authority=company_id_authority,
            identifier_type=identifier_type,
            special_zone=special_zone,
            address=address,
            contact=contact,
        )


        party.additional_properties = d
        return party

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
