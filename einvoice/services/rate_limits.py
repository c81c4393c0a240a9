"""Rate limits: how many requests a key, person or network made within the last minute.

The counts are in Redis (store/core/budgets); `hit` and `hits` return None while Redis is not
available.
"""

from __future__ import annotations

from einvoice.store.core.budgets import WINDOW_SECONDS, Hit, Window, hit, hits, is_available

__all__ = ["WINDOW_SECONDS", "Hit", "Window", "hit", "hits", "is_available"]
