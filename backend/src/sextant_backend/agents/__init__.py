"""The backend's way to host agents: HTTP over mutual TLS (docs/contracts/agent.md). Its `client.py` loads HTTPX, which
processes that call no agent go without."""
