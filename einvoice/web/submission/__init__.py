"""The /v1 family: ready UBL and CII documents, checked and sent (credential Bearer)."""
