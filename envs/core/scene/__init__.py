"""Scenes: what lies on a table, drawn as text, SVG or JSON."""
