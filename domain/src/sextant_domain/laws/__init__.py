"""Control laws: published systems' ways of deciding, each with its parameters and what it observes."""
