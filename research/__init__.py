"""One-off studies: README.md says what each asked, how to run it and what it showed."""
