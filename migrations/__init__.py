"""Migrations of the database, run by Alembic (`einvoice db upgrade`)."""
