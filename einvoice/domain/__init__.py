"""Values and decisions of the business in plain Python: no framework, storage or network.

The bottom layer: it imports no other package of einvoice.
"""
