"""What a page shows as a value and as a link: its parameters, its view, reading and writing them."""
