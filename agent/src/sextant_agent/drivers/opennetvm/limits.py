"""What OpenNetVM v21.10 can hold, and how long its steps take; onvm_common.h, and seen running."""

MAX_INSTANCE = 127
"""Instance ids 1 to 127 of one manager."""
MAX_NF_CPU = 63
"""NF cores are bits of one 64-bit mask."""
MAX_STARTS = 110
"""NFs started under one manager. At about 128 the next one corrupts NFs that run; ids are given once, so that this
comes before they run out."""
MAX_DEAD = 1
"""NFs killed under one manager. A dead one's ring keeps up to 16,384 of 32,767 packet buffers: two starve the host."""
MANAGER_START_S = 20.0
"""About 6 s on an idle machine."""
NF_START_S = 15.0
"""About 1.7 s from exec to the first figures; the manager answers once a second."""
NF_STOP_S = 12.0
"""SIGTERM to gone: 2.5 s; an NF whose manager is dead waits ten times a second."""
REPORTED_S = 2.5
"""From an NF's end until its manager has taken note: two of its periods."""
MANAGER_STOP_S = 8.0
STALE_S = 4.0
"""Figures are written once a second; the file of a dead manager stays."""
LONGEST_STEP_S = 2.0
"""What counts at most of the time between two checks of them, which is a second: one that is longer was a pause of the
whole machine, in which nobody could write either."""
DRAIN_S = 5.0
"""For what waits in a ring to be worked off, seen once a second: 16,384 packets at 4,000 a second."""
A_FEW = 64
"""Packets that wait where nothing does: two of an NF's turns, on their way while figures are written."""
POOL = 32_767
"""Packet buffers of a manager: so many packets at most come in while none is given back."""
