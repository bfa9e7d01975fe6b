"""Who did what, when: written in the transaction of what it records, never changed."""
