"""From an intent to a plan: one intent a file; they change a `fleet.Draft`, `body` writes it down."""
