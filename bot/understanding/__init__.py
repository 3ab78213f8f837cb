"""What people mean, from grammar and catalog alone."""

from bot.understanding.printing import to_json
from bot.understanding.understand import understand

__all__ = ["to_json", "understand"]
