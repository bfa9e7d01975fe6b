"""What an NF of OpenNetVM carries alone, measured under a manager that is started for it and for nobody else."""
