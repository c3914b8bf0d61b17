"""All that generated modules may import. It imports nothing but the standard library, and `regex` where needed."""
