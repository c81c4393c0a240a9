"""Payment means (decisions 17.10): as sent, else a transfer to the tenant's account."""

from __future__ import annotations

from einvoice.domain.derive.text import filled
from einvoice.domain.invoice import CreditTransfer, Party, PaymentMeans
from einvoice.domain.request import InvoiceRequest, PaymentRequest, SendDefaults, SendWarning

# UNTDID 4461
CREDIT_TRANSFER = "30"
STANDING_AGREEMENT = "57"
NOT_DEFINED = "1"
_TRANSFERS = frozenset({"30", "31", "42", "58"})
_DIRECT_DEBITS = frozenset({"49", "59"})


def payment(
    request: InvoiceRequest, seller: Party, defaults: SendDefaults, warnings: list[SendWarning]
) -> tuple[PaymentMeans, ...]:
    """At most one; none where no account is known and the country requires no payment means."""
    means = request.get("paymentMeans", {})
    method = filled(means.get("method"))
    if method in _DIRECT_DEBITS or (not method and means.get("mandateReference")):
        return (_direct_debit(means, method, request["currency"]),)
    account = _own_account(means)
    if account is None and (method is None or method in _TRANSFERS):
        account = _profile_account(defaults)
    code = method or (CREDIT_TRANSFER if account else _assumed(means, seller, warnings))
    if code is None:
        return ()
    return (
        PaymentMeans(
            code,
            remittance=filled(means.get("paymentReference")),
            transfers=(account,) if account else (),
        ),
    )


def _direct_debit(means: PaymentRequest, method: str | None, currency: str) -> PaymentMeans:
    """The IBAN is the buyer's; the mandate allows the seller to debit it (PEPPOL-EN16931-R061)."""
    account = means.get("iban")
    return PaymentMeans(
        method or ("59" if currency == "EUR" else "49"),
        remittance=filled(means.get("paymentReference")),
        mandate=filled(means.get("mandateReference")),
        debited_account=_compact(account) if account else None,
    )


def _assumed(means: PaymentRequest, seller: Party, warnings: list[SendWarning]) -> str | None:
    """The code where no account is known: Dutch suppliers must state payment means (NL-R-007,
    NL-R-008), and a payment reference cannot stand without."""
    if seller.address and seller.address.country == "NL":
        code, variant = STANDING_AGREEMENT, "standing"
    elif means.get("paymentReference"):
        code, variant = NOT_DEFINED, "undefined"
    else:
        return None
    field = "invoice.paymentMeans"
    warnings.append(SendWarning("payment-means-defaulted", field=field, variant=variant))
    return code


def _own_account(means: PaymentRequest) -> CreditTransfer | None:
    iban = means.get("iban")
    if not iban:
        return None
    bic = means.get("bic")
    return CreditTransfer(
        _compact(iban), filled(means.get("accountName")), _compact(bic) if bic else None
    )


def _profile_account(defaults: SendDefaults) -> CreditTransfer | None:
    if not defaults.iban:
        return None
    return CreditTransfer(
        _compact(defaults.iban), filled(defaults.account_name), filled(defaults.bic)
    )


def _compact(account: str) -> str:
    return "".join(account.split()).upper()
