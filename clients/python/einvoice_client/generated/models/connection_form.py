from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.connection_form_field import ConnectionFormField





T = TypeVar("T", bound="ConnectionForm")



@_attrs_define
class ConnectionForm:
    """ The form of a network.

     """

    environment: str
    """ The environment """
    network: str
    """ The network """
    access_point: str
    """ The access point """
    account_label: str
    """ What account is called there """
    browser: bool
    """ Whether a person authorises it in the browser """
    shares_consent: bool
    """ Whether consentOf may be given """
    asks_for: list[ConnectionFormField]
    """ The fields of credentials """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.connection_form_field import ConnectionFormField # noqa: PLC0415
        environment = self.environment

        network = self.network

        access_point = self.access_point

        account_label = self.account_label

        browser = self.browser

        shares_consent = self.shares_consent

        asks_for = []
        for asks_for_item_data in self.asks_for:
            asks_for_item = asks_for_item_data.to_dict()
            asks_for.append(asks_for_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "environment": environment,
            "network": network,
            "accessPoint": access_point,
            "accountLabel": account_label,
            "browser": browser,
            "sharesConsent": shares_consent,
            "asksFor": asks_for,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.connection_form_field import ConnectionFormField # noqa: PLC0415
        d = dict(src_dict)
        environment = d.pop("environment")

        network = d.pop("network")

        access_point = d.pop("accessPoint")

        account_label = d.pop("accountLabel")

        browser = d.pop("browser")

        shares_consent = d.pop("sharesConsent")

        asks_for = []
        _asks_for = d.pop("asksFor")
        for asks_for_item_data in (_asks_for):
            asks_for_item = ConnectionFormField.from_dict(asks_for_item_data)



            asks_for.append(asks_for_item)


        connection_form = cls(
            environment=environment,
            network=network,
            access_point=access_point,
            account_label=account_label,
            browser=browser,
            shares_consent=shares_consent,
            asks_for=asks_for,
        )


        connection_form.additional_properties = d
        return connection_form

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
