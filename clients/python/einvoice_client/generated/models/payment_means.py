from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.account import Account
  from ..models.card import Card





T = TypeVar("T", bound="PaymentMeans")



@_attrs_define
class PaymentMeans:


    method: None | str | Unset = UNSET
    """ UNTDID 4461; default 30 (credit transfer) with an IBAN. """
    method_text: None | str | Unset = UNSET
    """ The method in words. """
    iban: None | str | Unset = UNSET
    """ Account to pay to; for direct debit the account to be debited. """
    bic: None | str | Unset = UNSET
    """ BIC of the account's bank; SE:BANKGIRO or SE:PLUSGIRO for a Swedish giro. """
    account_name: None | str | Unset = UNSET
    """ Name of the account. """
    accounts: list[Account] | None | Unset = UNSET
    """ Accounts to pay to, further ones if iban is given. """
    card: Card | None | Unset = UNSET
    """ The card that it was or is paid with (method 48, 54 or 55). """
    payment_reference: None | str | Unset = UNSET
    """ Reference to quote in the payment. """
    mandate_reference: None | str | Unset = UNSET
    """ Direct debit mandate. """
    creditor_id: None | str | Unset = UNSET
    """ Creditor identifier of the direct debit, assigned by the bank (SEPA). """
    debited_account: None | str | Unset = UNSET
    """ Account to be debited by direct debit; iban then is an account to pay to. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.account import Account # noqa: PLC0415
        from ..models.card import Card # noqa: PLC0415
        method: None | str | Unset
        if isinstance(self.method, Unset):
            method = UNSET
        else:
            method = self.method

        method_text: None | str | Unset
        if isinstance(self.method_text, Unset):
            method_text = UNSET
        else:
            method_text = self.method_text

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

        accounts: list[dict[str, Any]] | None | Unset
        if isinstance(self.accounts, Unset):
            accounts = UNSET
        elif isinstance(self.accounts, list):
            accounts = []
            for accounts_type_0_item_data in self.accounts:
                accounts_type_0_item = accounts_type_0_item_data.to_dict()
                accounts.append(accounts_type_0_item)


        else:
            accounts = self.accounts

        card: dict[str, Any] | None | Unset
        if isinstance(self.card, Unset):
            card = UNSET
        elif isinstance(self.card, Card):
            card = self.card.to_dict()
        else:
            card = self.card

        payment_reference: None | str | Unset
        if isinstance(self.payment_reference, Unset):
            payment_reference = UNSET
        else:
            payment_reference = self.payment_reference

        mandate_reference: None | str | Unset
        if isinstance(self.mandate_reference, Unset):
            mandate_reference = UNSET
        else:
            mandate_reference = self.mandate_reference

        creditor_id: None | str | Unset
        if isinstance(self.creditor_id, Unset):
            creditor_id = UNSET
        else:
            creditor_id = self.creditor_id

        debited_account: None | str | Unset
        if isinstance(self.debited_account, Unset):
            debited_account = UNSET
        else:
            debited_account = self.debited_account


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if method is not UNSET:
            field_dict["method"] = method
        if method_text is not UNSET:
            field_dict["methodText"] = method_text
        if iban is not UNSET:
            field_dict["iban"] = iban
        if bic is not UNSET:
            field_dict["bic"] = bic
        if account_name is not UNSET:
            field_dict["accountName"] = account_name
        if accounts is not UNSET:
            field_dict["accounts"] = accounts
        if card is not UNSET:
            field_dict["card"] = card
        if payment_reference is not UNSET:
            field_dict["paymentReference"] = payment_reference
        if mandate_reference is not UNSET:
            field_dict["mandateReference"] = mandate_reference
        if creditor_id is not UNSET:
            field_dict["creditorId"] = creditor_id
        if debited_account is not UNSET:
            field_dict["debitedAccount"] = debited_account

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.account import Account # noqa: PLC0415
        from ..models.card import Card # noqa: PLC0415
        d = dict(src_dict)
        def _parse_method(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        method = _parse_method(d.pop("method", UNSET))


        def _parse_method_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        method_text = _parse_method_text(d.pop("methodText", UNSET))


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


        def _parse_accounts(data: object) -> list[Account] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                accounts_type_0 = []
                _accounts_type_0 = data
                for accounts_type_0_item_data in (_accounts_type_0):
                    accounts_type_0_item = Account.from_dict(accounts_type_0_item_data)



                    accounts_type_0.append(accounts_type_0_item)

                return accounts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Account] | None | Unset, data)

        accounts = _parse_accounts(d.pop("accounts", UNSET))


        def _parse_card(data: object) -> Card | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                card_type_0 = Card.from_dict(data)



                return card_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Card | None | Unset, data)

        card = _parse_card(d.pop("card", UNSET))


        def _parse_payment_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        payment_reference = _parse_payment_reference(d.pop("paymentReference", UNSET))


        def _parse_mandate_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        mandate_reference = _parse_mandate_reference(d.pop("mandateReference", UNSET))


        def _parse_creditor_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        creditor_id = _parse_creditor_id(d.pop("creditorId", UNSET))


        def _parse_debited_account(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        debited_account = _parse_debited_account(d.pop("debitedAccount", UNSET))


        payment_means = cls(
            method=method,
            method_text=method_text,
            iban=iban,
            bic=bic,
            account_name=account_name,
            accounts=accounts,
            card=card,
            payment_reference=payment_reference,
            mandate_reference=mandate_reference,
            creditor_id=creditor_id,
            debited_account=debited_account,
        )


        payment_means.additional_properties = d
        return payment_means

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
