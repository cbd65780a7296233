"""Rules, inference, drawing and search that Twenty-Eight, Twenty-Nine and Fifty-Six share."""
