"""Collects figures, prints them as a table, writes them as JSON."""
import json


class Report:
    def __init__(self):
        self.rows = []
        self.notes = {}

    def add(self, item, what, weft, peer, peer_name, unit, goal=None, ratio=None, better=None):
        """One line. `ratio` is what the goal speaks of; `better` says if it is reached. Peer may be None."""
        row = {"item": item, "what": what, "weft": weft, "peer": peer, "peer_name": peer_name, "unit": unit, "ratio": ratio, "goal": goal, "reached": better}
        self.rows.append(row)
        print(self.line(row), flush=True)

    def at_least(self, item, what, weft, peer, peer_name, unit, goal):
        """The peer's figure is to be at least `goal` times ours (time, memory: less is better)."""
        ratio = peer / weft if weft else float("inf")
        self.add(item, what, weft, peer, peer_name, unit, f">= {goal}", ratio, ratio >= goal)

    def at_most(self, item, what, weft, peer, peer_name, unit, goal):
        """Ours is to be at most `goal` times the peer's."""
        ratio = weft / peer if peer else float("inf")
        self.add(item, what, weft, peer, peer_name, unit, f"<= {goal}", ratio, ratio <= goal)

    def limit(self, item, what, weft, unit, most):
        self.add(item, what, weft, None, "", unit, f"<= {most} {unit}", None, weft <= most)

    def failed(self, item, what, error):
        self.rows.append({"item": item, "what": what, "error": str(error)})
        print(f"{item:>2}  {what:<58} FAILED: {error}", flush=True)

    @staticmethod
    def figure(value):
        if value is None:
            return "-"
        if isinstance(value, int) or value >= 100:
            return f"{value:,.0f}"
        return f"{value:.3g}"

    def line(self, row):
        if "error" in row:
            return f"{row['item']:>2}  {row['what']:<58} FAILED: {row['error']}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        verdict = "" if row["reached"] is None else ("reached" if row["reached"] else "SHORT")
        peer = f"{self.figure(row['peer'])} {row['peer_name']}" if row["peer_name"] else ""
        return (f"{row['item']:>2}  {row['what']:<58} {self.figure(row['weft']):>11} {row['unit']:<4} {peer:<28} "
                f"ratio {ratio:<8} goal {row['goal'] or '':<12} {verdict}")

    def table(self):
        """Markdown."""
        lines = ["| item | what | weft | peer | ratio | goal | |", "|---|---|---|---|---|---|---|"]
        for row in self.rows:
            if "error" in row:
                lines.append(f"| {row['item']} | {row['what']} | failed: {row['error'][:120]} | | | | |")
                continue
            ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
            peer = f"{self.figure(row['peer'])} {row['unit']} ({row['peer_name']})" if row["peer_name"] else ""
            verdict = "" if row["reached"] is None else ("reached" if row["reached"] else "**short**")
            lines.append(f"| {row['item']} | {row['what']} | {self.figure(row['weft'])} {row['unit']} | {peer} | {ratio} | {row['goal'] or ''} | {verdict} |")
        return "\n".join(lines) + "\n"

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"notes": self.notes, "rows": self.rows}, file, indent=1)
            file.write("\n")
