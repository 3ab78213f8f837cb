"""Rehearsals: the whole bot on simulated platforms, for scenario files and for the playground."""
