"""The pages: each wires controls to figures; the shell holds their common parts."""
