"""From an intent to a plan: one intent a file; they change a `fleet.PlanDraft`, `body` writes it down."""
