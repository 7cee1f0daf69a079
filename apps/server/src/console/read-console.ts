import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodedText } from '../http/encoded.ts';
import type { ConsoleFiles } from './mount-console.ts';

/** Names of hashed files change with their content. */
const forever = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const eachTime = { 'Cache-Control': 'no-cache' };

/** Allows only scripts and styles from this server's files, no other origins, and no scripts created from text. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Returns the console's build output, read once; undefined if it is not built. */
export async function readConsole(folder = builtFolder()): Promise<ConsoleFiles | undefined> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files: ConsoleFiles = new Map(
    await Promise.all(
      names
        .filter((entry) => entry.isFile() && extname(entry.name) in types)
        .map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          const name = relative(folder, path).split(sep).join('/');
          const bytes = await readFile(path);
          return [name, encodedText(() => bytes, headersOf(name))] as const;
        }),
    ),
  );
  return files.has('index.html') ? files : undefined;
}

function builtFolder(): string {
  return fileURLToPath(new URL('.', import.meta.resolve('@ledger-ops/console/index.html')));
}

function headersOf(name: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': types[extname(name)] ?? 'application/octet-stream',
    ...(name.startsWith('assets/') ? forever : eachTime),
    ...(name === 'index.html'
      ? { 'Content-Security-Policy': pagePolicy, 'Cross-Origin-Opener-Policy': 'same-origin' }
      : {}),
  };
}
