// A plain static web server on this machine, without special headers.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = { ".html": "text/html", ".wasm": "application/wasm" };

/// Serves a directory. Returns its address, how to end it, and the names of all files that it was asked for.
export function serveDirectory(directory) {
  const asked = [];
  const server = createServer((request, response) => {
    const name = request.url.split(/[?#]/)[0].replace(/\/$/, "/index.html");
    asked.push(name.slice(1));
    try {
      const contents = readFileSync(join(directory, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(contents);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((started) =>
    server.listen(0, "127.0.0.1", () =>
      started({ address: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close() }),
    ),
  );
}
