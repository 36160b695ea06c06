"""Executes one notebook without a browser: execute.py NOTEBOOK COPY INPUTS

INPUTS is a digest of all that the copy depends on; it is kept in the copy's metadata when nothing failed. Writes the executed copy, whole or as far as it came, and prints JSON lines on standard output: {"cell": 2, "of": 5} when a
cell begins, then {"failed": null} or {"failed": {"cell": 2, "message": "..."}}; `cell` counts all cells from 1, and is null
when the fault lies in none. Exit status 0 when nothing failed, else 2.

tslab tells nbclient only of a cell that throws. A rejection that nobody awaits, an exception in a timer or a faulty module
cell appear merely as text on standard error, often after their cell has ended, when nbclient no longer listens; an exit code
that was set changes nothing. So all messages of the kernel are read here, and a last cell that is not kept waits until timers
have run out and asks for the exit code.
"""
import asyncio
import json
import os
import re
import sys
from pathlib import Path

# jsonschema loads this optional check of addresses with every notebook, and it takes three seconds to compile its grammar.
sys.modules["rfc3987_syntax"] = None

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError

STRAY = re.compile(r"^(UncaughtException|UnhandledPromiseRejection): *(.*)", re.M)
"""How tslab reports what no cell caught."""
DIAGNOSTIC = re.compile(r"^(?:\S+ )?\d+:\d+ - (.*)", re.M)
"""How tslab reports an error of the compiler."""
SETTLE = """const nulliusEnd = (async () => {
  const pending = (kind: string) => process.getActiveResourcesInfo().filter((name) => name === kind).length;
  for (let waited = 0; waited < 3000; waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (waited >= 100 && pending("Timeout") === 0) break;
  }
  process.stdout.write("nullius-end " + JSON.stringify({ exitCode: process.exitCode ?? 0, children: pending("ProcessWrap") }) + "\\n");
})();
await nulliusEnd;"""
"""The last cell. `await (` would be taken for a call by the kernel's compiler."""


class Failure(Exception):
    """What failed: the cell, counted from 1 over all cells, or None, and a message."""

    def __init__(self, cell, message):
        super().__init__(message)
        self.cell = cell


def tell(**what) -> None:
    print(json.dumps(what), flush=True)


def errors_of(cell) -> str:
    """What a cell wrote on standard error."""
    return "".join(o["text"] for o in cell.get("outputs", []) if o.get("output_type") == "stream" and o["name"] == "stderr")


def telling(text: str) -> str:
    """The line of an error's text that says what is wrong; Node puts the place in the source and a frame before it."""
    lines = [line.strip() for line in DIAGNOSTIC.sub(r"\1", text).splitlines() if line.strip()]
    return next((line for line in lines if re.match(r"(Uncaught )?\w*(Error|Fault|Exception)\b", line)), lines[0] if lines else "")


class Execution:
    """One notebook in one kernel."""

    def __init__(self, notebook: Path):
        self.nb = nbformat.read(notebook, as_version=4)
        self.client = NotebookClient(self.nb, kernel_name="tslab", timeout=None, resources={"metadata": {"path": str(notebook.parent)}},
                                     record_timing=False, shutdown_kernel="immediate", store_widget_state=False, on_cell_executed=self.count)
        self.current = 0
        self.cell_of = {}

    def count(self, cell, cell_index, execute_reply) -> None:
        """nbclient waits for a message with the execution count that tslab never sends; the reply has it."""
        cell.execution_count = execute_reply["content"].get("execution_count")

    def listen(self) -> None:
        """Reads along with nbclient: which request belongs to which cell, and what arrives when its cell has already ended."""
        kernel, execute, receive = self.client.kc, self.client.kc.execute, self.client.kc.iopub_channel.get_msg

        def remember(*words, **named):
            request = execute(*words, **named)
            self.cell_of[request] = self.current
            return request

        async def read(*words, **named):
            message = await receive(*words, **named)
            cell = self.cell_of.get(message["parent_header"].get("msg_id"))
            if message["msg_type"] == "stream" and cell is not None and cell != self.current:
                outputs = self.nb.cells[cell].outputs
                outputs.append(nbformat.v4.new_output("stream", name=message["content"]["name"], text=message["content"]["text"]))
            return message

        kernel.execute, kernel.iopub_channel.get_msg = remember, read

    async def one(self, index: int, cell) -> None:
        self.current = index
        try:
            await self.client.async_execute_cell(cell, index)
        except CellExecutionError:
            said = errors_of(cell)
            raise Failure(index + 1, telling(said) or "failed without a message") from None
        except DeadKernelError:
            raise Failure(index + 1, "the kernel died: " + (telling(errors_of(cell)) or "killed, or process.exit was called")) from None

    async def run(self) -> None:
        cells = [(i, c) for i, c in enumerate(self.nb.cells) if c.cell_type == "code" and c.source.strip()]
        async with self.client.async_setup_kernel():
            self.listen()
            for index, cell in cells:
                tell(cell=index + 1, of=len(self.nb.cells))
                await self.one(index, cell)
            last = nbformat.v4.new_code_cell(SETTLE)
            self.nb.cells.append(last)
            try:
                await self.one(len(self.nb.cells) - 1, last)
            finally:
                self.nb.cells.pop()
            self.check(cells, last)

    def check(self, cells, last) -> None:
        """Finds what failed without failing its cell."""
        for index, cell in cells:
            said = errors_of(cell)
            stray = STRAY.search(said)
            if stray:
                raise Failure(index + 1, f"{stray[2]} ({'a promise that is not awaited' if stray[1].startswith('Unhandled') else 'thrown where no cell waits for it'})")
            if re.match(r"\s*/\*\*[\s*]*@(module|browser)", cell.source) and DIAGNOSTIC.search(said):
                raise Failure(index + 1, DIAGNOSTIC.search(said)[1])
        stray = STRAY.search(errors_of(last))
        if stray:
            raise Failure(cells[-1][0] + 1 if cells else None, f"{stray[2]} (after the cell ended)")
        counts = [cell.execution_count for _, cell in cells]
        if counts != list(range(1, len(cells) + 1)):
            raise Failure(None, f"its cells ran as {counts}, not in order from 1")
        text = "".join(o["text"] for o in last.outputs if o.get("name") == "stdout")
        end = re.search(r"^nullius-end (.*)$", text, re.M)
        if not end:
            raise Failure(None, "it did not run to its end")
        state = json.loads(end[1])
        if state["exitCode"] != 0:
            raise Failure(None, f"process.exitCode was set to {state['exitCode']}")
        if state["children"]:
            raise Failure(None, "a program that it started still runs; a call is not awaited")


def write(nb, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    part = copy.with_name(f".{copy.name}.{os.getpid()}")
    nbformat.write(nb, part)
    part.rename(copy)


def main(notebook: Path, copy: Path, inputs: str) -> int:
    try:
        execution = Execution(notebook.resolve())
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, ValueError) as error:
        tell(failed={"cell": None, "message": f"not a notebook: {telling(str(error))}"})
        return 2
    failed = None
    try:
        asyncio.run(execution.run())
    except Failure as failure:
        failed = {"cell": failure.cell, "message": str(failure)}
    except (DeadKernelError, RuntimeError, CellControlSignal) as error:
        failed = {"cell": None, "message": f"the kernel did not start: {telling(str(error))}"}
    if not failed:
        execution.nb.metadata["nullius"] = {"inputs": inputs}
    write(execution.nb, copy)
    tell(failed=failed)
    return 2 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
