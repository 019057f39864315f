"""Forms of the installed countries: their boxes, their warnings, the places where they are filed."""
