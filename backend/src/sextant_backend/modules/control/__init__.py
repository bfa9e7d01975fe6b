"""Control laws: policies by law and scope, the evaluation that follows them, and what operators decide."""
