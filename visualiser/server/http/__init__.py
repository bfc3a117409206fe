"""HTTP around the app: documents, static files, connections, headers, origins, login."""
