"""Telling a tenant's server what happened: the body, its signature, when, and the POST.

Decisions 4; the headers are those of Standard Webhooks, so that ready-made verifiers work.
"""
