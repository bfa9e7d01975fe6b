"""School of sfc2cpu: trains the network that assigns small VNFs to cores, on games drawn as the paper draws them.

`instances` (what is drawn), `games` (many at once), `replay` (what was seen, the surprising first), `network` (JAX),
`training`, `weights` (as the engine reads them). Only `network` needs the extra `learn`.
"""
