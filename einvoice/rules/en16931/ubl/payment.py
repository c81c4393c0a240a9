"""Payment instructions (BG-16 to BG-19)."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Flag, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

payment = Chapter(Layer.CEN_UBL)

present(payment, contexts.PAYMENT_MEANS, [("BR-49", "BG-16 BT-81", "cbc:PaymentMeansCode")])
filled(payment, contexts.TRANSFER_ACCOUNT, [("BR-50", "BG-17 BT-84", "cbc:ID")])

CREDIT_TRANSFERS = ("30", "58")


@payment.rule("BR-51", "BT-87", at=contexts.CARD_NUMBER, flag=Flag.WARNING, kind=Kind.FORMAT)
def card_number_is_shortened(number: Node, _: View) -> Values | None:
    """A card number (BT-87) shows at most its first six and last four digits."""
    length = len(normalized(number.text))
    return None if length <= 10 else {"length": length}


@payment.rule("BR-61", "BT-84 BT-81", at=contexts.PAYMENT_MEANS, kind=Kind.PRESENCE)
def credit_transfer_has_an_account(means: Node, _: View) -> Values | None:
    """A credit transfer (BT-81) has a payee account (BT-84)."""
    if normalized(means.text_of("cbc:PaymentMeansCode")) not in CREDIT_TRANSFERS:
        return None
    return (
        None
        if means.has("cac:PayeeFinancialAccount/cbc:ID")
        else {"code": means.texts("cbc:PaymentMeansCode")[0]}
    )
