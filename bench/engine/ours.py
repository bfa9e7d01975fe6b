"""Our own solver in a process of its own: jobs from standard input, one answer a line, peak memory at the end.

CPU seconds are those of the solving thread, measured inside the core: reading and writing JSON are left out.
"""

import json
import sys
from typing import Any

from peer_program import peak_kib
from sextant_engine import native


def main() -> None:
    """{"recipes": [...], "algorithm", "params", "seconds", "evaluations"} -> a list of answers."""
    job: dict[str, Any] = json.load(sys.stdin)
    answers = []
    for recipe in job["recipes"]:
        problem = native.generate(**recipe)
        found = native.solve(
            problem,
            job["algorithm"],
            params=json.dumps(job["params"]) if job.get("params") else None,
            seconds=job.get("seconds"),
        )
        result = json.loads(found.result)
        answers.append(
            {
                "score": result["score"],
                "bound": result["bound"],
                "proven": result["status"] == "optimal",
                "evaluations": result["evaluations"],
                "cpu_seconds": found.cpu_seconds,
            }
        )
    print(json.dumps({"answers": answers, "rss_kib": peak_kib()}))


if __name__ == "__main__":
    main()
