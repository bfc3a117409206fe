"""What a visitor opens: each page wires controls to figures; the shell holds what all pages share."""
