"""Who this host is to the fleet listener: key, certificates, enrolment, mutual TLS."""
