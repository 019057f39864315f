import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const SERVER = process.env.LEDGERKIT_URL ?? "http://127.0.0.1:8000";
const COMPRESSIBLE = /\.(js|css|svg|json)$/;

/** Write a `.br` and a `.gz` beside every asset, so that the server compresses nothing while it serves. */
function precompressed(): Plugin {
  let directory = "";
  return {
    name: "precompressed",
    apply: "build",
    configResolved(config) {
      directory = join(config.build.outDir, "assets");
    },
    closeBundle() {
      for (const name of readdirSync(directory).filter((file) => COMPRESSIBLE.test(file))) {
        const content = readFileSync(join(directory, name));
        const quality = {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        };
        writeFileSync(join(directory, `${name}.br`), brotliCompressSync(content, quality));
        writeFileSync(join(directory, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), precompressed()],
  build: {
    outDir: process.env.LEDGERKIT_WEB_DIST ?? "../src/ledgerkit/web/dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      // Changes are taken from the server's own pages only, so its own address goes with them.
      ["/api", "/auth", "/s/", "/docs", "/openapi.json", "/oauth", "/health", "/ready"].map((path) => [
        path,
        { target: SERVER, changeOrigin: true, headers: { origin: SERVER } },
      ]),
    ),
  },
  // Tests are of functions: one thread loads each module once for all files.
  test: {
    environment: "node",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/texts/spanish.setup.ts"],
    pool: "threads",
    isolate: false,
    maxWorkers: 1,
  },
});
