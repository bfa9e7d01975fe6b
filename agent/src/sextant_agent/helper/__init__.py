"""The root helper: a process of its own that does the little for which the agent would need root.

It has no network, imports nothing but the standard library (and `sextant_agent.machine.ways`, which does no more), and
takes typed verbs over a unix socket (docs/contracts/helper.md). Nothing outside this package imports it; the agent's
side is `helper_client.py`.
"""
