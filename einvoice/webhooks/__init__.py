"""Webhooks to a tenant's server: the body, its signature, the schedule of attempts, and the POST.

Decisions 4. The headers are those of Standard Webhooks, so that existing verifiers work. Imports
http, clock and domain; no storage.
"""
