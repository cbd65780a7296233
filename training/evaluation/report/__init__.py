"""Reports of evaluations: tables, plots and pages."""
