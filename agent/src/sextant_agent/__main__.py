"""`python -m sextant_agent`."""

from sextant_agent.kit.loading import loading

with loading():
    from sextant_agent.main import app

if __name__ == "__main__":
    app(prog_name="sextant-agent")
