"""NUMASFP: where whole chains stand and what they are granted. `problem` (the JSON), `solve` (the core's answers), `run`
(interval after interval, the law included), `octans` (the placement that Octans would choose), `check` (without the core)."""
