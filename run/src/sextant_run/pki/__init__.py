"""The fleet's own certificate authority (docs/contracts/agent.md): issue, keep, renew."""
