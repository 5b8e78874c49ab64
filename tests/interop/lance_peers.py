"""Where the Lance engines are (tools/peers.sh lance lance-js), for scripts that run under their Python."""
import os
import sys

from driver import PEERS, skip

LANCE_PYTHON = os.path.join(PEERS, "lance", "bin", "python")
LANCE_JS = os.path.join(PEERS, "lancedb-0.31.0", "node_modules")


def use_lance_python():
    """Starts this script again under the Python that has pylance and lancedb."""
    if os.path.realpath(sys.prefix) == os.path.realpath(os.path.join(PEERS, "lance")):
        return
    if not os.access(LANCE_PYTHON, os.X_OK):
        skip(f"no pylance 14 and lancedb 0.40 at {LANCE_PYTHON} (tools/peers.sh lance)")
    os.execv(LANCE_PYTHON, [LANCE_PYTHON, *sys.argv])


def need_lance_js():
    if not os.path.isdir(os.path.join(LANCE_JS, "@lancedb", "lancedb")):
        skip(f"no @lancedb/lancedb 0.31.0 at {LANCE_JS} (tools/peers.sh lance-js)")
