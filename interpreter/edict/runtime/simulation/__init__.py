"""Simulation: many games at once, playouts, statistics of games, and searches among what a seat cannot see."""
