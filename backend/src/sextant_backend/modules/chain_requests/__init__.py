"""What operators ask of chains: submit, adjust, delete. Each becomes a plan; module `chains` keeps what there is."""
