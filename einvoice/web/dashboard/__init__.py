"""The pages of the dashboard, at /dashboard: HTML for the people of a tenant.

A page calls the same services as the JSON API and returns HTML made from them; forms become the
JSON that the API reads, and are judged by its contracts. Everything works without JavaScript except
what is live; the scripts and styles are in `assets`.
"""
