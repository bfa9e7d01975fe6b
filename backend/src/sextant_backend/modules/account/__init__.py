"""One's own account: password, sessions, API tokens."""
