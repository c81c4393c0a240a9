"""The tolerance of amounts that the rules of BIS Billing recompute: its function `u:slack`."""

from decimal import Decimal

SLACK = Decimal("0.02")  # in either direction
