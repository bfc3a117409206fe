"""Rooms of a class: students' pages follow a teacher's, and vote before they see the result (docs/room.md)."""
