"""Processes beside the web: the relay hands due work to RQ queues, workers carry it out.

`table` lists every lane, every kind of work and every periodic duty. A job may run twice. Redis
holds nothing that the database does not know: a lost queue costs the length of a lease. Imports
einvoice; einvoice does not import jobs.
"""
