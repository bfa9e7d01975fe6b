"""Sign-in by an identity provider: its settings, the handshake with it, and who its users are here."""
