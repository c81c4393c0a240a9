"""The routes of a share link: a page, JSON, the PDF. The link is the only credential."""
