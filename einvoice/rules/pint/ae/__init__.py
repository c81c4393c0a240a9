"""PINT-AE-UBL: the rules of the United Arab Emirates, release 1.0.4 (2026-05-25), in UBL.

Billing and self-billing have the same rules but for the types of documents. All are fatal.
"""

from __future__ import annotations
