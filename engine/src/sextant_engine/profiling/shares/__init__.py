"""What part of a core an NF takes by its rate (CoCo's f).

`line` (the line through measured points), `points` (the points of a job), `design` (such a job before it starts).
"""
