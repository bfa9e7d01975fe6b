"""How hosts join: tokens that operators make, the certificates that agents get for them, renewal."""
