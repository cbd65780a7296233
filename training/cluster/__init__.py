"""Work for more than one process or machine: tasks handed out, their results kept."""
