"""One folder a subject, the same file names in each: endpoints -> service -> repository -> models."""
