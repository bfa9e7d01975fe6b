"""sfc2cpu: the core of each of many small NFs that share cores; the command is called `assign`.

`problem` (the JSON), `solve` (the core's answers), `fit` (costs beside others), `platform` (shares and backpressure),
`check` (without the core), `command`.
"""
