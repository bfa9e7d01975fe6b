"""OpenNetVM's group files read as chains, and placements written as start commands."""
