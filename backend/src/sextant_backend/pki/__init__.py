"""The fleet's own certificate authority (docs/contracts/agent.md): what it signs, and what it is asked to sign."""
