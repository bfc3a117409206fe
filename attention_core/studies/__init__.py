"""Measurements over many configurations: sweeps, temperatures, number formats, gradients, time and memory."""
