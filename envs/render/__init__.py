"""Rendering: text, pixels, windows, widgets and the web files."""
