"""Interference: the throughput that NFs lose to each other, on a host as it is and under a plan; and what they would
lose and free on fewer cores."""
