#!/usr/bin/env python3
"""Serves a folder over HTTP/1.1 with byte ranges, for tests and benchmarks of remote reading.

usage: tests/http_server.py FOLDER [--port N] [--latency-ms N] [--log FILE] [--no-ranges] [--no-etags]

Prints one line "http://127.0.0.1:PORT/" as soon as it listens. Each request is answered after the
latency. The log has one line per request: time in ms since the start, status, path, range, bytes
sent. Ends on SIGTERM, or when its standard input is closed if --until-eof is given.
"""
import argparse
import email.utils
import http.server
import os
import re
import socketserver
import sys
import threading
import time
import urllib.parse

START = time.monotonic()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    options = None
    log_lock = threading.Lock()

    def log_message(self, *_):
        pass

    def note(self, status, sent):
        if self.options.log:
            line = "%.1f %d %s %s %d\n" % ((time.monotonic() - START) * 1000, status, self.path,
                                           self.headers.get("Range", "-"), sent)
            with self.log_lock, open(self.options.log, "a", encoding="utf-8") as log:
                log.write(line)

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.note(status, 0)

    def wanted(self, size, etag):
        """(first, last) or None for all of it; "unsatisfied" if there is no such byte."""
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        if self.options.no_ranges or not match or (condition and condition != etag):
            return None
        first, last = match.groups()
        if not first:
            return (max(0, size - int(last)), size - 1) if last and size else "unsatisfied"
        if int(first) >= size:
            return "unsatisfied"
        return int(first), min(int(last), size - 1) if last else size - 1

    def do_GET(self, body=True):
        time.sleep(self.options.latency_ms / 1000)
        name = os.path.normpath(urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)).lstrip("/")
        path = os.path.join(self.options.folder, name)
        if not os.path.isfile(path):
            return self.refuse(404)
        try:
            file = open(path, "rb")
        except PermissionError:
            return self.refuse(403)
        with file:
            found = os.fstat(file.fileno())
            etag = '"%x-%x-%x"' % (found.st_ino, found.st_size, found.st_mtime_ns)
            wanted = self.wanted(found.st_size, etag)
            if wanted == "unsatisfied":
                self.send_response(416)
                self.send_header("Content-Range", "bytes */%d" % found.st_size)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return self.note(416, 0)
            first, last = wanted or (0, found.st_size - 1)
            self.send_response(206 if wanted else 200)
            if wanted:
                self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, found.st_size))
            if not self.options.no_ranges:
                self.send_header("Accept-Ranges", "bytes")
            if not self.options.no_etags:
                self.send_header("ETag", etag)
            self.send_header("Last-Modified", email.utils.formatdate(found.st_mtime, usegmt=True))
            self.send_header("Content-Length", str(last - first + 1))
            self.end_headers()
            if body:
                file.seek(first)
                left = last - first + 1
                while left > 0:
                    piece = file.read(min(left, 1 << 20))
                    if not piece:
                        break
                    self.wfile.write(piece)
                    left -= len(piece)
            self.note(206 if wanted else 200, last - first + 1)

    def do_HEAD(self):
        self.do_GET(body=False)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0)
    parser.add_argument("--log")
    parser.add_argument("--no-ranges", action="store_true", help="answer 200 to every range")
    parser.add_argument("--no-etags", action="store_true")
    parser.add_argument("--until-eof", action="store_true")
    Handler.options = parser.parse_args()
    Handler.options.folder = os.path.abspath(Handler.options.folder)
    Handler.wbufsize = 1 << 16  # head and body in one packet
    Handler.disable_nagle_algorithm = True
    server = Server(("127.0.0.1", Handler.options.port), Handler)
    print("http://127.0.0.1:%d/" % server.server_port, flush=True)
    if Handler.options.until_eof:
        threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
