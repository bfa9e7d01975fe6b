"""docker-compose.yml, images and units say what is there, and their processes run as they say."""
