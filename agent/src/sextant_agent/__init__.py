"""Host agent: API, ledger, reconciler and drivers. It keeps one host at what its ledger says."""

__version__ = "0.1.0"
