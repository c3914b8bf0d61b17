"""rtgen at home in other libraries: one package for each, importing nothing of it until it is used."""
