"""NFVnice's two means below an assignment of sfc2cpu: CPU shares in proportion to rate and cost, and backpressure.

`law` (what an agent gives the NFs of a core, period by period), `shares` (how a core's time is shared out), `bounded`
(the same within bounds), `backpressure` (when packets are dropped before work is spent on them).
"""
