"""``python -m reportgen``: the same as the command ``reportgen``."""

from reportgen.cli import main

if __name__ == "__main__":
    main(prog_name="reportgen")
