"""What came of predictions: measured once a plan is applied, and summed up as how far each predictor is trusted."""
