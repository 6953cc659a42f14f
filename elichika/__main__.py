"""`python -m elichika` runs the command line."""

from elichika.cli import main

main()
