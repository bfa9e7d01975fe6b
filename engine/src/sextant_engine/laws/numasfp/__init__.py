"""NUMASFP: where whole chains stand and what they are granted.

`problem` (the JSON), `solve` (the core's answers), `run` (interval after interval, the law included), `octans` (the
placement that Octans would choose), `profile` (a look-up table out of measurements), `check` (without the core),
`command`.
"""
