"""The course: what it proves holds, and its map, docs/course.md, is complete."""
