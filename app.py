"""Headlight: see and measure attention. Builds the app and launches it; a Space finds `demo` here."""

from visualiser.launch import demo, main

__all__ = ["demo"]

if __name__ == "__main__":
    main()
