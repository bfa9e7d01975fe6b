"""Types every part of Sextant shares, defined once: frozen, no I/O.

Units stand in every name (`_mpps`, `_us`, `_bytes`, `_percent`); Mpps is 10^6 packets a second.
Import from the module that owns a type (`sextant_domain.chains.chain.ChainSpec`), never from here.
"""
