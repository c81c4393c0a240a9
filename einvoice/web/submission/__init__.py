"""The /v1 family: UBL and CII documents, validated and sent (credential Bearer)."""
