"""Our own routes: requests of the browser, answers in parts, long runs."""
