"""Documents derived from rules, with their authorship, their cross-references and a whole rulebook."""
