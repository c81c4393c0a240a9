"""What the buyer sees through a share link: a page, JSON, the PDF. Open to whoever has the link."""
