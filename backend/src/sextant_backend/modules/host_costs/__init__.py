"""What packets cost on hosts' shared cores beside others, as fitted: versions, which of them hold, and for plans."""
