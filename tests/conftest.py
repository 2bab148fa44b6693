"""A test fails for what it computes, never for how long a busy machine took."""

from hypothesis import settings

settings.register_profile("linsep", deadline=None)
settings.load_profile("linsep")
