from . import test_journey
