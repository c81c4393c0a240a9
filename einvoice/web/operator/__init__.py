"""The console of the operators of this service: pages at /operator, JSON at /api/operator.

Sessions and keys of operators are their own (services/account/operators); what is done here is
written into the audit log of the tenant that it is about, with the operator's name.
"""
