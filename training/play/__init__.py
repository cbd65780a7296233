"""Games that a person plays, alone or at a table of several: what terminal and page share."""
