"""What agents measure: raw samples by the day, and the newest of every host, chain and NF."""
