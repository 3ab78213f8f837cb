"""What the bot counts about itself, in Prometheus' words: labels name apps and kinds, never people."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_ACKNOWLEDGED = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 3.0, 5.0)  # the platforms allow 3 s and 5 s
_TURNS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """The counters of one app; each app has its own registry, so that two in one process do not mix."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        app, both = ("app",), ("app", "kind")
        self._accepted = Counter("jide_accepted", "Messages taken in", both, registry=registry)
        self._repeats = Counter("jide_repeats", "Messages pushed again and left alone", app, registry=registry)
        self._refused = Counter("jide_refused", "Requests refused: signature, form, size", app, registry=registry)
        self._acknowledged = Histogram(
            "jide_acknowledge_seconds",
            "From a platform's request to its answer",
            both,
            buckets=_ACKNOWLEDGED,
            registry=registry,
        )
        self._turns = Histogram(
            "jide_turn_seconds", "From a claimed message to its committed turn", buckets=_TURNS, registry=registry
        )
        self._failures = Counter("jide_turn_failures", "Turns that raised", registry=registry)
        self._delivered = Counter("jide_delivered", "Replies that a platform has taken", both, registry=registry)
        self._retried = Counter("jide_retried", "Sends put off by a platform's refusal", both, registry=registry)
        self._dead = Counter("jide_dead_letters", "Replies given up", both, registry=registry)
        self._schedules = Counter("jide_schedules_given", "Due schedules carried out", ("kind",), registry=registry)
        self._missed = Counter("jide_schedules_missed", "Schedules found too late", ("kind",), registry=registry)
        self._broken = Counter("jide_schedule_failures", "Due schedules that raised", ("kind",), registry=registry)
        self._reloads = Counter("jide_config_reloads", "New settings that took effect", registry=registry)
        self._depth = Gauge(
            "jide_queue_depth", "Rows that wait: inbox, outbox, schedules", ("kind",), registry=registry
        )
        self._lag = Gauge("jide_lag_seconds", "How long the oldest of them is due", ("kind",), registry=registry)
        self._problems = Gauge("jide_config_problems", "What is wrong with the newest bot.yaml", registry=registry)

    # --- in ---

    def accepted(self, app: str, kind: str) -> None:
        self._accepted.labels(app, kind).inc()

    def repeated(self, app: str) -> None:
        self._repeats.labels(app).inc()

    def refused(self, app: str) -> None:
        self._refused.labels(app).inc()

    def acknowledged(self, app: str, kind: str, seconds: float) -> None:
        self._acknowledged.labels(app, kind).observe(seconds)

    def turned(self, seconds: float) -> None:
        self._turns.observe(seconds)

    def failed(self) -> None:
        self._failures.inc()

    # --- out ---

    def delivered(self, app: str, kind: str) -> None:
        self._delivered.labels(app, kind).inc()

    def retried(self, app: str, kind: str) -> None:
        self._retried.labels(app, kind).inc()

    def buried(self, app: str, kind: str) -> None:
        self._dead.labels(app, kind).inc()

    # --- schedules and configuration ---

    def given(self, kind: str) -> None:
        self._schedules.labels(kind).inc()

    def missed(self, kind: str) -> None:
        self._missed.labels(kind).inc()

    def broke(self, kind: str) -> None:
        self._broken.labels(kind).inc()

    def reloaded(self) -> None:
        self._reloads.inc()

    # --- looking ---

    def waiting(self, queue: str, rows: int, lag: float) -> None:
        """What a queue holds now; `lag` is how many seconds its oldest row is due."""
        self._depth.labels(queue).set(rows)
        self._lag.labels(queue).set(lag)

    def wrong(self, problems: int) -> None:
        self._problems.set(problems)

    def text(self) -> bytes:
        """Everything, as Prometheus scrapes it."""
        return generate_latest(self._registry)
