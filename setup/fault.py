"""A fault of the machine or a user's mistake, told in one sentence."""
import re
import sys


class Fault(Exception):
    """One sentence that says what is wrong and what to do; printed without a stack trace."""


def explain(said: str) -> str:
    """One sentence for what a failed tool printed: the usual causes in plain words, else its last telling line."""
    if re.search(r"No space left|ENOSPC|Disk quota|not enough free space", said, re.I):
        return "the disk is full; free some space and run make setup again (a whole set-up takes about 2 GB)"
    if re.search(r"resolv(e|ing)\b|name resolution|ENOTFOUND|EAI_AGAIN|dns error|Network is unreachable|ENETUNREACH|Could not connect|Connection refused|"
                 r"ECONNREFUSED|timed out|ETIMEDOUT|error sending request|client error \(Connect\)|no route to host", said, re.I):
        return "no network to the package registry; connect, or set the proxy, and run make setup again"
    if re.search(r"Permission denied|EACCES|Read-only file system", said, re.I):
        return "permission denied; the project's folder must be writable by this user"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    lines = [line for line in lines if not re.match(r"make(\[\d+\])?: (\*\*\* \[|Entering|Leaving)", line)] or lines
    telling = [line for line in lines if re.match(r"(E:|error|ERROR|npm error|fatal|\S+: error)|.*\berror TS\d", line)] or lines[-1:]
    return (telling[0] if telling else "it failed without a word")[:300]


def guarded(action, place) -> int:
    """Runs an action and gives its exit code; what fails is told in one sentence, an error without a file of its own by `place`."""
    try:
        return action() or 0
    except Fault as fault:
        print(f"setup: {fault}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"setup: {error.filename or place}: {explain(error.strerror or str(error))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup: interrupted; run it again, it goes on where it was", file=sys.stderr)
        return 130
