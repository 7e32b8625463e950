"""`python -m sculpt.kernels`: which kernels are used for large inputs here, and why."""

from sculpt.errors import UsageError
from sculpt.kernels.choice import fastest

if __name__ == "__main__":
    try:
        chosen = fastest()
    except UsageError as error:
        raise SystemExit(f"error: {error}") from None
    print(f"{chosen.backend.name}: {chosen.reason}")
