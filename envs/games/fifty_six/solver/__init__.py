"""The double-dummy solver of Fifty-Six."""
