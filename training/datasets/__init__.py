"""Datasets of labeled decisions, as Parquet files and in Minari's format."""
