"""Operators: what their credentials allow.

A person at the console has all of it; a key what it was given.
"""

from __future__ import annotations

from typing import Final

READ: Final = "operator:read"  # everything but the content of documents and files
MANAGE: Final = "operator:manage"  # decide, suspend, settle, hold
DOCUMENTS: Final = "operator:documents"  # content, with a reason
SCOPES: Final = (READ, MANAGE, DOCUMENTS)
DEFAULT_SCOPES: Final = (READ,)
MAX_REASON: Final = 500
MAX_KEYS: Final = 100  # active ones
# Stands for the operators where an audit log is one of a tenant: their logins and keys.
OWN_LOG: Final = "operator"
