"""What touches uvicorn: its server and its protocol for one connection."""
