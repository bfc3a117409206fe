"""What a person sees: figures of results, pages that wire controls to them, and what keeps both alive in a browser."""
