"""Pages in a real browser, headless Chromium.

A page of a server of our own holds the page to test in a frame, acts on it, and sends what it found
to the server. Its clock is the real one.
"""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["CHROMIUM", "FLAGS", "Browser"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
)
SECONDS, TIMES = 90, 3
"""How long a page may take, and how often a browser is started that says nothing."""


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.found.put((self.path, json.loads(body)))  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()


class Browser:
    """A folder that is served, and what looks at its pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(_Handler, directory=str(folder))
        )
        self.found: queue.Queue[Any] = queue.Queue()
        self.server.found = self.found  # type: ignore[attr-defined]
        self._runs = 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End the server."""
        self.server.shutdown()
        self.server.server_close()

    def answer(self, wrapper: str) -> dict[str, Any]:
        """Open a page, which sends what it finds to `ANSWER`; return that."""
        for _ in range(TIMES):
            self._runs += 1
            place = f"/found/{self._runs}"
            text = wrapper.replace("ANSWER", place)
            (self.folder / "wrapper.html").write_text(text, encoding="utf-8")
            found = self._opened(place)
            if found is not None:
                assert "error" not in found, found["error"]
                return found
        raise AssertionError(f"Chromium said nothing in {TIMES} times {SECONDS} seconds")

    def _opened(self, place: str) -> dict[str, Any] | None:
        address = f"http://127.0.0.1:{self.server.server_address[1]}/wrapper.html"
        profile = f"--user-data-dir={self.folder / f'profile{self._runs}'}"
        process = subprocess.Popen(
            [CHROMIUM, *FLAGS, profile, "--remote-debugging-port=0", address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while True:
                whence, found = self.found.get(timeout=SECONDS)
                if whence == place:
                    return dict(found)
        except queue.Empty:
            return None
        finally:
            process.kill()
            process.wait()
            shutil.rmtree(self.folder / f"profile{self._runs}", ignore_errors=True)
