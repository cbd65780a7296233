"""Steps a second of our environments and of others', measured alike; run from the root."""
