"""Object stores outside of the database: a directory, or a bucket of S3."""
