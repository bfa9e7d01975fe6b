"""`python -m sextant_backend`."""

from sextant_domain.loading import loading

with loading():
    from sextant_backend.main import app

if __name__ == "__main__":
    app(prog_name="python -m sextant_backend")
