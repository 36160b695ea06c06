// A process for the tests to kill: measures the table slowly into NULLIUS_DATA.
import { go, tableLab } from "./table.ts";
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
try {
  const outcome = await go(tableLab({ milliseconds: 40 }), { signal: stop.signal });
  console.log(JSON.stringify({ state: outcome.state, run: outcome.run.id, measured: outcome.measured }));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = (error as { exitCode?: number }).exitCode ?? 70;
}
