"""Scenes: descriptions of tables that are drawn as text or SVG, or exported as JSON."""
