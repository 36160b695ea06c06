import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { show } from "../build/publish/serve.js";

const work = mkdtempSync(join(tmpdir(), "nullius-serve-"));
after(() => rmSync(work, { recursive: true, force: true }));
mkdirSync(join(work, "site", "en"), { recursive: true });
writeFileSync(join(work, "site", "en", "index.html"), "<body>page</body>");
writeFileSync(join(work, "site", "data.csv"), "a,b\n");
writeFileSync(join(work, "secret.html"), "<body>secret</body>");

/** Status and body of a path, sent as it is: fetch would tidy it. */
function ask(port: number, path: string): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text)).on("end", () => resolve([response.statusCode!, body]));
    }).on("error", reject).end();
  });
}

test("serve: gives pages, which reload when told, and files; nothing outside its folder; a taken port is one sentence", async () => {
  const shown = await show(join(work, "site"), 0);
  try {
    const [status, body] = await ask(shown.port, "/en/");
    assert.equal(status, 200);
    assert.match(body, /^<body>page<script>.*EventSource.*<\/script><\/body>$/);
    assert.deepEqual(await ask(shown.port, "/data.csv"), [200, "a,b\n"]);
    for (const path of ["/../secret.html", "/%2e%2e/secret.html", "/..%2fsecret.html", "/%ff.html", "/none.html"]) {
      const [code, text] = await ask(shown.port, path);
      assert.ok(code >= 400 && !text.includes("secret"), `${path}: ${code}`);
    }
    const told = new Promise<string>((resolve) => {
      request({ host: "127.0.0.1", port: shown.port, path: "/-/reload" }, (response) => response.setEncoding("utf8").on("data", (text: string) => (text.startsWith(":") ? shown.reload() : resolve(text)))).on("error", () => undefined).end();
    });
    assert.equal(await told, "event: reload\ndata: \n\n");
    await assert.rejects(show(work, shown.port), { name: "Fault", message: `port ${shown.port} is taken: name another, --port ${shown.port + 1}` });
  } finally {
    await shown.close();
  }
});
