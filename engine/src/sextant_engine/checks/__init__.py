"""The rules of the independent checker, by subject; they import the domain and nothing else of the engine."""
