"""The state of a page as a value and as a link: parameters, view, reading and writing."""
