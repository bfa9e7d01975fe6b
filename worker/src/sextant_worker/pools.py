"""How many tasks of each queue a process takes at once. Imports nothing: the command that reads it is soon replaced."""

SOLO = ("plan",)
"""A process of its own, one task at a time: a search computes for minutes."""

WATCH = "watch"
"""A process of its own without a queue: nothing delays the sweep."""

THREADS = {"operate": 2, "profile": 4, "study": 1, "control": 4}
"""Tasks that wait, for agents or for a child process; and of queue control each task has a thread of its own: a control
law's search of two seconds delays none that is evaluated every second, nor does rolling up, nor an early turn that
waits for one of the second. These queues may share
a process (docs/decisions/0051-one-process-for-what-waits.md)."""
