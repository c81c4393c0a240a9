"""Payment means (decisions 17.10): as sent, else a transfer to the tenant's account."""

from __future__ import annotations

from einvoice.domain.derive.text import filled
from einvoice.domain.invoice import CreditTransfer, Party, PaymentCard, PaymentMeans
from einvoice.domain.request import (
    AccountRequest,
    CardRequest,
    InvoiceRequest,
    PaymentRequest,
    SendDefaults,
    SendWarning,
)

# UNTDID 4461
CREDIT_TRANSFER = "30"
BANK_CARD = "48"
STANDING_AGREEMENT = "57"
NOT_DEFINED = "1"
_TRANSFERS = frozenset({"30", "31", "42", "58"})
_DIRECT_DEBITS = frozenset({"49", "59"})


def payment(
    request: InvoiceRequest, seller: Party, defaults: SendDefaults, warnings: list[SendWarning]
) -> tuple[PaymentMeans, ...]:
    """At most one; none where no account is known and the country requires no payment means."""
    means = request.get("paymentMeans", {})
    warnings += _unused_details(means)
    method = filled(means.get("method"))
    if _is_direct_debit(means, method):
        return (_direct_debit(means, method, request["currency"]),)
    accounts = _accounts(means)
    if not accounts and (method is None or method in _TRANSFERS) and not means.get("card"):
        accounts = _profile_account(defaults)
    code = method or _usual(means, accounts) or _assumed(means, seller, warnings)
    return () if code is None else (_stated(means, code, accounts),)


def _unused_details(means: PaymentRequest) -> list[SendWarning]:
    """A warning for each detail of an account whose number was not sent."""
    if means.get("iban"):
        return []
    details = (("bic", means.get("bic")), ("accountName", means.get("accountName")))
    return [
        SendWarning("account-detail-unused", field=f"invoice.paymentMeans.{name}")
        for name, text in details
        if filled(text)
    ]


def _usual(means: PaymentRequest, accounts: tuple[CreditTransfer, ...]) -> str | None:
    """The method of payment means that say none: by card, or by transfer to an account."""
    if means.get("card"):
        return BANK_CARD
    return CREDIT_TRANSFER if accounts else None


def _is_direct_debit(means: PaymentRequest, method: str | None) -> bool:
    if method is None:
        return bool(means.get("mandateReference") or means.get("debitedAccount"))
    return method in _DIRECT_DEBITS


def _direct_debit(means: PaymentRequest, method: str | None, currency: str) -> PaymentMeans:
    """The IBAN is the buyer's, unless `debitedAccount` is; the mandate allows the seller to debit
    it (PEPPOL-EN16931-R061)."""
    code = method or ("59" if currency == "EUR" else "49")
    if means.get("debitedAccount"):
        return _stated(means, code, _accounts(means))
    others = tuple(map(_account, means.get("accounts", ())))
    return _stated(means, code, others, means.get("iban"))


def _stated(
    means: PaymentRequest,
    code: str,
    accounts: tuple[CreditTransfer, ...],
    debited: str | None = None,
) -> PaymentMeans:
    """BG-16 to BG-19 as sent. `debited`: the account, where it is not `debitedAccount`."""
    debited = means.get("debitedAccount") or debited
    card = means.get("card")
    return PaymentMeans(
        code,
        text=filled(means.get("methodText")),
        remittance=filled(means.get("paymentReference")),
        transfers=accounts,
        card=_card(card) if card else None,
        mandate=filled(means.get("mandateReference")),
        creditor=filled(means.get("creditorId")),
        debited_account=_compact(debited) if debited else None,
    )


def _card(card: CardRequest) -> PaymentCard:
    return PaymentCard(card["number"], filled(card.get("holder")), filled(card.get("network")))


def _assumed(means: PaymentRequest, seller: Party, warnings: list[SendWarning]) -> str | None:
    """The code where no account is known: Dutch suppliers must state payment means (NL-R-007,
    NL-R-008), and a payment reference, say, cannot stand without."""
    if seller.address and seller.address.country == "NL":
        code, variant = STANDING_AGREEMENT, "standing"
    elif any(means.get(name) for name in _NEEDING_A_METHOD):
        code, variant = NOT_DEFINED, "undefined"
    else:
        return None
    field = "invoice.paymentMeans"
    warnings.append(SendWarning("payment-means-defaulted", field=field, variant=variant))
    return code


_NEEDING_A_METHOD = ("paymentReference", "methodText", "creditorId")


def _accounts(means: PaymentRequest) -> tuple[CreditTransfer, ...]:
    """The account of `iban`, then the further ones."""
    iban = means.get("iban")
    if not iban:
        return tuple(map(_account, means.get("accounts", ())))
    bic = means.get("bic")
    own = CreditTransfer(
        _compact(iban), filled(means.get("accountName")), _compact(bic) if bic else None
    )
    return (own, *map(_account, means.get("accounts", ())))


def _account(account: AccountRequest) -> CreditTransfer:
    bic = account.get("bic")
    name = filled(account.get("accountName"))
    return CreditTransfer(_compact(account["iban"]), name, _compact(bic) if bic else None)


def _profile_account(defaults: SendDefaults) -> tuple[CreditTransfer, ...]:
    if not defaults.iban:
        return ()
    name, bic = filled(defaults.account_name), filled(defaults.bic)
    return (CreditTransfer(_compact(defaults.iban), name, bic),)


def _compact(account: str) -> str:
    return "".join(account.split()).upper()
