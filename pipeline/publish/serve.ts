import { watch, type FSWatcher } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync } from "node:fs";
import { join, normalize, sep } from "node:path";
import { Fault } from "../fault.js";

/** What is put into a page when it is shown here, and is in no file: it loads the page again when told to. */
const reloader = '<script>new EventSource("/-/reload").addEventListener("reload", () => location.reload());</script>';

/** A site being shown. */
export interface Shown {
  readonly port: number;
  /** Tells every open page to load itself again. */
  reload(): void;
  close(): Promise<void>;
}

/**
 * Shows a folder of pages to this machine only.
 *
 * @throws Fault when the port is taken or not allowed
 */
export async function show(folder: string, port: number): Promise<Shown> {
  const { default: sirv } = await import("sirv");
  const files = sirv(folder, { dev: true, dotfiles: false });
  const listeners = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/-/reload") {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).write(": listening\n\n");
      listeners.add(response);
      response.on("close", () => listeners.delete(response));
      return;
    }
    const page = pageOf(folder, pathname);
    if (page === undefined || request.method !== "GET") files(request, response, () => void response.writeHead(404, { "content-type": "text/plain" }).end("not here\n"));
    else void readFile(page, "utf8").then((html) => response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html.replace("</body>", `${reloader}</body>`)), () => response.writeHead(404).end());
  });
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    reload: () => listeners.forEach((response) => response.write("event: reload\ndata: \n\n")),
    close: () => new Promise((resolve) => {
      for (const response of listeners) response.end();
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}

/** The HTML file of a path, if it is one of the folder's. */
function pageOf(folder: string, pathname: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  const file = normalize(join(folder, decoded.endsWith("/") ? `${decoded}index.html` : decoded));
  return file.startsWith(folder + sep) && file.endsWith(".html") && existsSync(file) ? file : undefined;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? new Fault(`port ${port} is taken: name another, --port ${port + 1}`) : error.code === "EACCES" ? new Fault(`port ${port} is not allowed to this user: name one from 1024, --port 8000`) : error);
    });
    server.listen(port, "127.0.0.1", resolve);
  });
}

/** Calls back once things below some folders have been quiet for a tenth of a second after a change; gives what ends the watch. */
export function watchFolders(folders: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = folders.filter((folder) => existsSync(folder)).map((folder) => watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(changed, 100);
  }));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
