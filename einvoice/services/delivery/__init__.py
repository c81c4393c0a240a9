"""Delivery by workers: transmit what is due, settle outcomes, resolve unknown ones."""
