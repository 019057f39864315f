"""Reading /metrics as Prometheus does."""

from dataclasses import dataclass

import httpx2
from prometheus_client.parser import text_string_to_metric_families


@dataclass(frozen=True)
class Page:
    text: str

    def value(self, name: str, **labels: str) -> float | None:
        """The sample with at least these labels; None when there is none. Raises AssertionError for several."""
        found = [
            sample.value
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        assert len(found) <= 1, (name, labels, found)
        return found[0] if found else None


async def scraped(port: int) -> Page:
    async with httpx2.AsyncClient(timeout=60) as prometheus:
        answer = await prometheus.get(f"http://127.0.0.1:{port}/metrics")
    assert answer.status_code == 200, answer.text
    return Page(answer.text)
