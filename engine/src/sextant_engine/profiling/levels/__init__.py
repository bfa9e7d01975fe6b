"""What each level of throughput takes at least, in cache ways and memory bandwidth.

`staircase` (which points to measure), `surface` (a program that measures one), `points` (the points of a job on a
host), `design` (such a job before it starts).
"""
