"""`python -m sextant_agent`."""

import typer  # noqa: F401 - before Rich is barred, which writes its pages of help
from sextant_domain.loading import loading

with loading():
    from sextant_agent.main import app

if __name__ == "__main__":
    app(prog_name="sextant-agent")
