"""Webhook endpoints, deliveries and their log, redelivery, and the feed of events."""
