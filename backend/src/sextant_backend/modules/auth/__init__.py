"""Users, sessions of the browser, API tokens, and who is refused."""
