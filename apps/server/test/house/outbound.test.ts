import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Packages that are not part of a server: development tools, and the client library. */
const elsewhere = new Set([
  'adapter-kit',
  'client',
  'create-plugin',
  'devnet',
  'devnet-fabric',
  'devnet-solana',
]);

/** Files that open connections themselves, with the reason and their limits. */
const allowed: Readonly<Record<string, string>> = {
  'apps/server/src/commands/doctor.ts': 'a command of the deployer, which tries the configured ports',
  'apps/server/src/http/sockets/listen-on.ts': 'to its own port, to find another program that uses it',
  'apps/server/src/http/sockets/listen.ts': 'the function that answers requests has this name',
  'packages/auth/src/admin/mail/bounded-socket.ts':
    'SMTP of the deployer’s own server, with bounds on time and bytes',
  'packages/auth/src/admin/mail/mail.ts': 'SMTP of the deployer’s own server, with the same ciphers',
  'packages/plugin-fabric/src/gateway/bounded-credentials.ts':
    'TLS and memory of gRPC, with the bounds of @ledger-ops/adapter/outbound',
  'packages/plugin-fabric/src/gateway/peer.ts':
    'gRPC, with the addresses and the TLS of @ledger-ops/adapter/outbound',
  'packages/plugin-host/src/connections/child.ts':
    'the side of a plugin’s process, whose connections the host makes',
  'packages/plugin-host/src/connections/host.ts': 'TCP for plugins, past the guard, within a window of bytes',
};

/** Code that opens a connection: through an import or a global. */
const openings: readonly RegExp[] = [
  /(?:from|import\(|require\()\s*'(?:undici|ws|node:http2|node:dgram|nodemailer)'/,
  /^import (?!type )(?:\* as )?\w+(?:, \{[^}]*\})? from '(?:node:)?(?:https?|net|tls)'/m,
  /^import \{[^}]*\b(?<!type )(?:request|get|connect|createConnection)\b[^}]*\} from '(?:node:)?(?:https?|net|tls)'/m,
  /(?:import|require)\(\s*'(?:node:)?(?:https?|net|tls)'/,
  /grpc\.credentials|new grpc\.Client/,
  /(?<![.\w'])fetch\(|\bglobalThis\.fetch\b|(?:[:=?]|\() fetch[,;)]/,
  /new (?:WebSocket|EventSource)\(/,
];

const top = fileURLToPath(new URL('../../../../', import.meta.url));

function sources(): string[] {
  const packages = readdirSync(`${top}packages`).filter((name) => !elsewhere.has(name));
  return [...packages.map((name) => `packages/${name}/src`), 'apps/server/src'].flatMap((folder) =>
    readdirSync(`${top}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(?:test|generated|d)\.ts$|(?:^|\/)testing\//.test(name))
      .map((name) => `${folder}/${name}`),
  );
}

function opens(file: string): boolean {
  const code = readFileSync(top + file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return openings.some((opening) => opening.test(code));
}

test('only @ledger-ops/adapter/outbound opens connections', () => {
  const files = sources().filter((file) => !file.startsWith('packages/adapter/src/outbound/') && opens(file));
  expect(files.sort()).toEqual(Object.keys(allowed).sort());
});

test.each([
  "import { Pool } from 'undici';",
  "import http from 'node:http';",
  "import * as tls from 'node:tls';",
  "import {\n  connect,\n  isIP,\n} from 'node:net';",
  "import { isIP, connect } from 'node:net';",
  "import { request as ask } from 'node:https';",
  "const { request } = await import('node:http');",
  'const answer = await fetch(url);',
  'const ask = options.fetch ?? fetch;',
  'const socket = new WebSocket(url);',
])('the check for outbound connections finds one in %j', (code) => {
  expect(openings.some((opening) => opening.test(code))).toBe(true);
});

test.each([
  "import { createServer, type IncomingMessage } from 'node:http';",
  "import { isIP, type Socket } from 'node:net';",
  "import type tls from 'node:tls';",
  'await guarded.fetch(url, init);',
  'const fetched = prefetch(one);',
])('the check for outbound connections finds none in %j', (code) => {
  expect(openings.some((opening) => opening.test(code))).toBe(false);
});
