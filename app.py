"""Build and launch Headlight: see and measure attention. A Space finds `demo` here."""

from visualiser.launch import demo, main

__all__ = ["demo"]

if __name__ == "__main__":
    main()
