"""Control laws as the console runs them: what each observes and plans, one folder a law, behind one registry."""
