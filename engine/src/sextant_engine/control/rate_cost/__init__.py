"""NFVnice's two means below an assignment of sfc2cpu: CPU shares in proportion to rate and cost, and backpressure.

`shares` (how a core's time is shared out), `backpressure` (when packets are dropped before work is spent on them).
"""
