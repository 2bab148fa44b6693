"""The examples run and keep their promises."""
