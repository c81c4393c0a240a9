"""Delivery by workers: submit and poll due transmissions, settle outcomes, resolve unknown ones."""
