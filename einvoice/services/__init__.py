"""Use cases: one transaction each, plain arguments in, small frozen results out.

Packages are capabilities; setup.cfg fixes their order. They may import all layers below (store,
validation, network, documents, …), but neither web nor Flask.
"""
