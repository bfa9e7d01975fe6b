"""Studies of NUMASFP: its paper's figures, on the twin or by its look-up table."""
