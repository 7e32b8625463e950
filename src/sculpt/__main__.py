"""`python -m sculpt`."""

from sculpt.cli import main

if __name__ == "__main__":
    main()
