"""What several implementations promise alike."""
