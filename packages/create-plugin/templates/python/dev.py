"""Serves the plugin, and restarts it after each change.

    python3 dev.py [port] [folder]
"""

import glob
import os
import subprocess
import sys
import time


def changes():
    return {path: os.stat(path).st_mtime_ns for path in [*glob.glob("*.py"), "package.json"]}


def main(arguments):
    while True:
        seen = changes()
        child = subprocess.Popen([sys.executable, "plugin.py", *arguments])
        try:
            while changes() == seen:
                time.sleep(0.3)
        except KeyboardInterrupt:
            return
        finally:
            child.terminate()
            child.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
