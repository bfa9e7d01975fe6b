"""CoCo: which elements share a core, and what is pushed aside when one has grown.

`problem` (the JSON), `solve` (the core's answers), `push` (both rules), `share` (the scheduler, and scale-out), `check`
(without the core), `command`.
"""
