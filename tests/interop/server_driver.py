"""Starts `weft serve` for the tests of this folder and talks to it."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time

from driver import WEFT


class Server:
    """A running server. `with Server(target, "--option", …) as server:`"""

    def __init__(self, target, *options, log=None, preexec=None, env=None):
        self.log_path = log or os.path.join(os.path.dirname(os.path.abspath(str(target))), "serve.log")
        self.log = open(self.log_path, "ab")
        begin = os.path.getsize(self.log_path)
        self.process = subprocess.Popen([WEFT, "serve", str(target), "--bind", "127.0.0.1:0", *map(str, options)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
                                        preexec_fn=preexec, env={**os.environ, **(env or {})})
        deadline = time.monotonic() + 60
        while True:
            with open(self.log_path, "rb") as file:
                file.seek(begin)
                text = file.read().decode("utf-8", "replace")
            found = re.search(r"weft: serving .* at (https?)://127\.0\.0\.1:(\d+)", text)
            if found:
                self.scheme, self.port = found.group(1), int(found.group(2))
                break
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"no server: {text}")
            time.sleep(0.02)
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, how=signal.SIGTERM, timeout=30):
        """Exit code of the server."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        return self.process.returncode

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def socket(self, timeout=60):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def request(self, method, path, body=None, headers=None, timeout=60):
        connection = self.connect(timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def raw(self, data, timeout=20):
        """What comes back for these bytes until the server closes or `timeout` passes."""
        with self.socket(timeout) as sock:
            out = b""
            try:
                sock.sendall(data)
                while True:
                    piece = sock.recv(65536)
                    if not piece:
                        break
                    out += piece
            except OSError:
                pass
            return out

    def query(self, text, accept="application/sparql-results+json", **options):
        return self.request("POST", "/query", text.encode(),
                            {"Content-Type": "application/sparql-query", "Accept": accept}, **options)

    def update(self, text, headers=None):
        return self.request("POST", "/update", text.encode(),
                            {"Content-Type": "application/sparql-update", **(headers or {})})

    def count(self):
        rows = self.query("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }").json()
        return int(rows["results"]["bindings"][0]["n"]["value"])

    def metric(self, name):
        for line in self.request("GET", "/metrics").text.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return None


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)

    def __str__(self):
        return f"{self.status} {self.headers} {self.text[:500]}"
