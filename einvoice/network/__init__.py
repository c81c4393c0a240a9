"""The interface between the service and the networks: what an access-point plugin implements.

Write a plugin from `hookspec` (the hook), `types` (the objects) and `testing` (the contract). It
imports domain, clock and the packages of that level, never services or store.
"""
