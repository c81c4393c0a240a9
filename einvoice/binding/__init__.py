"""Syntax bindings: which element of a document each business term of an Invoice becomes.

A binding describes a document once, for a `Builder` (builder.py). The UBL binding (EN 16931-3-2) is
run with two builders: `documents.ubl.write` makes text of it, `rules.model` the nodes that rules
read, so that a send is judged without writing and parsing XML. Imports domain only.
"""
