"""The folder of the fleet's certificates (docs/contracts/agent.md): make, keep, renew those of this machine."""
