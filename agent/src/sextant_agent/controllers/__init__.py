"""Control laws that turn knobs of this host by themselves, within bounds that an order names."""
