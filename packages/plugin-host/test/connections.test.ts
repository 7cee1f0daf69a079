import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerConfig } from '@ledger-ops/adapter';
import { findIsolation } from '@ledger-ops/plugin-host';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectShortTurns } from '../../../testing/longest-block.ts';
import {
  dhParameters,
  expensiveChain,
  rsaKey,
  selfSigned,
} from '../../adapter/test/outbound/certificates.ts';
import { moduleOf, openModule } from './modules.ts';

/** A module that runs code. The code is passed as the address to normalize. */
const running = moduleOf(`normaliseAddress: async (code) => {
  const run = new (async () => undefined).constructor('ledger', 'load', code);
  try { return String(await run(ledger, (name) => import(name))); }
  catch (error) { return 'failed: ' + (error.code ?? error.cause?.code ?? error); }
}`);

const { level } = await findIsolation();
const levels = level === 'isolated' ? (['best', 'restricted'] as const) : (['restricted'] as const);
console.log(`Connections are tried on: ${levels.join(', ')} (best is ${level}).`);

async function listen(server: Server | HttpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function open(isolation: (typeof levels)[number], change: Partial<LedgerConfig>) {
  const { adapter, log } = await openModule(running, { isolation });
  const ledger = { ledgerId: 'l', technology: 'ethereum', properties: {}, nodes: [], ...change };
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
  const session = await adapter.open(ledger, host);
  const denied = () => log.filter((line) => line.startsWith('warn plugin.denied '));
  return { adapter, session, denied, run: (code: string) => session.normaliseAddress(code) };
}

const nodesAt = (...uris: string[]) => uris.map((uri, index) => ({ nodeId: `node-${index}`, uri }));
/** Code that connects and returns what it receives. */
const connecting = (place: string) => `
  const net = await load('node:net');
  return await new Promise((resolve, reject) => {
    let text = '';
    net.connect(${place}).on('error', reject).on('data', (data) => { text += data; }).on('end', () => resolve(text)).end('ping');
  });`;

/** A self-signed certificate for localhost. */
let certificate: { key: string; cert: string };
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' });
  certificate = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
});

describe.each(levels)('connections of a plugin, %s', (isolation) => {
  test('a plugin reaches its ledgers’ nodes by sockets, fetch and TLS without changes', async () => {
    const plain = await listen(createServer((request, response) => request.pipe(response)));
    const secure = await listen(createTlsServer(certificate, (_, response) => response.end('over TLS')));
    const echo = await listen(
      createTcpServer({ allowHalfOpen: true }, (socket: Socket) => socket.pipe(socket)),
    );
    const { run } = await open(isolation, {
      nodes: nodesAt(`http://127.0.0.1:${plain}/`, `https://localhost:${secure}`),
      properties: { other: { place: [`127.0.0.1:${echo}`] } },
    });
    const post = (body: string) => `fetch('http://127.0.0.1:${plain}/', { method: 'POST', body: ${body} })`;
    expect(await run(`return await (await ${post("'over fetch'")}).text()`)).toBe('over fetch');
    expect(await run(`return (await (await ${post("'x'.repeat(3_000_000)")}).text()).length`)).toBe(
      '3000000',
    );
    expect(await run(connecting(`${echo}, '127.0.0.1'`))).toBe('ping');
    const tls = `
    const https = await load('node:https');
    return await new Promise((resolve, reject) => https.get('https://localhost:${secure}',
      { ca: ${JSON.stringify(certificate.cert)} }, (answer) => answer.on('data', (data) => resolve([data, answer.socket.authorized, answer.socket.remotePort, answer.socket.remoteAddress])))
      .on('error', reject));`;
    expect(await run(tls)).toMatch(new RegExp(`^over TLS,true,${secure},(127\\.0\\.0\\.1|::1)$`));
    const dns = `const dns = await load('node:dns'); return JSON.stringify(await new Promise((resolve, reject) => dns.lookup('localhost', (error, address) => error ? reject(error) : resolve(address))));`;
    expect(await run(dns)).toMatch(/127\.0\.0\.1|::1/);
  });

  test('a plugin reaches only destinations that its open ledgers contain', async () => {
    let touched = 0;
    const other = await listen(
      createTcpServer((socket) => {
        touched += 1;
        socket.end('touched');
      }),
    );
    const own = await listen(createTcpServer((socket) => socket.end('mine')));
    const { run, session, adapter, denied } = await open(isolation, {
      nodes: nodesAt(`http://127.0.0.1:${own}`),
    });
    expect(await run(connecting(`${own}, '127.0.0.1'`))).toBe('mine');
    for (const host of [
      '127.0.0.1',
      'localhost',
      '::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '127.1',
      '2130706433',
    ]) {
      expect(await run(connecting(`${other}, '${host}'`)), host).toMatch(/^failed: (EACCES|ENOTFOUND)$/);
    }
    expect(await run(connecting("{ path: '/var/run/docker.sock' }"))).toBe('failed: EACCES');
    expect(await run("return (await (await load('node:dns')).promises.lookup('example.org')).address")).toBe(
      'failed: ENOTFOUND',
    );
    expect(touched).toBe(0);
    // The log explains the refusal to the module's author, once per destination.
    expect(
      denied().filter((line) => line.includes(' example.org, which is not an address of one of its ledgers')),
    ).toHaveLength(1);
    expect(denied().join('\n')).toContain(`127.0.0.1:${other}, which is not`);
    const told = denied().length;
    await run(connecting(`${other}, '127.0.0.1'`));
    expect(denied()).toHaveLength(told);

    const ledger = {
      ledgerId: 'second',
      technology: 'ethereum',
      properties: {},
      nodes: nodesAt('tcp://127.0.0.1:9'),
    };
    const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
    const second = await adapter.open(ledger, host);
    await session.close();
    expect(await second.normaliseAddress(connecting(`${own}, '127.0.0.1'`))).toBe('failed: EACCES');
  });

  test('the outbound guard blocks a node at a private address, given by IP address or by host name', async () => {
    let touched = 0;
    const port = await listen(
      createTcpServer((socket) => {
        touched += 1;
        socket.end();
      }),
    );
    const nodes = nodesAt(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
    const { run, denied } = await open(isolation, { nodes, outbound: { open: [] } });
    expect(await run(connecting(`${port}, '127.0.0.1'`))).toBe('failed: EOUTBOUND');
    expect(await run(connecting(`${port}, 'localhost'`))).toBe('failed: EOUTBOUND');
    expect(denied()[0]).toContain(
      `127.0.0.1:${port}, which is a private address. Add the address to OUTBOUND_OPEN`,
    );
    expect(denied()[1]).toContain(`localhost:${port}, which is a private`);
    expect(touched).toBe(0);
  });

  test('an expensive TLS handshake of a plugin does not block the event loop of its host', async () => {
    const port = await listen(createTlsServer(expensiveChain(60), () => undefined));
    const { run } = await open(isolation, { nodes: nodesAt(`https://127.0.0.1:${port}`) });
    const handshakes = `
    const tls = await load('node:tls');
    const before = process.cpuUsage();
    const fail = (done) => tls.connect(${port}, '127.0.0.1').on('error', done);
    await Promise.all(Array.from({ length: 4 }, () => new Promise(fail)));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;`;
    const childMs = await expectShortTurns(() => run(handshakes));
    expect(Number(childMs)).toBeGreaterThan(500);
  });

  test('a node cannot choose the Diffie-Hellman parameters of a plugin', async () => {
    const { key, cert } = selfSigned(rsaKey(2));
    const dhe = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: dhParameters(10_000) };
    const port = await listen(createTlsServer({ key, cert, maxVersion: 'TLSv1.2', ...dhe }, () => undefined));
    const { run } = await open(isolation, { nodes: nodesAt(`https://127.0.0.1:${port}`) });
    const connect = `
    const tls = await load('node:tls');
    const ca = ${JSON.stringify(cert)};
    return await new Promise((done, fail) => tls.connect({ port: ${port}, host: '127.0.0.1', ca }, done).on('error', fail));`;
    expect(await run(connect)).toMatch(/^failed: .*HANDSHAKE_FAILURE/);
  });

  test('a failed connection reports Node’s error codes', async () => {
    const nobody = createTcpServer();
    nobody.listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const address = nobody.address();
    const closed = typeof address === 'object' ? address?.port : 0;
    nobody.close();
    const rude = await listen(createTcpServer((socket) => socket.resetAndDestroy()));
    const silent = await listen(createTcpServer(() => undefined));
    const { run } = await open(isolation, {
      nodes: nodesAt(
        `tcp://127.0.0.1:${closed}`,
        `tcp://127.0.0.1:${rude}`,
        `http://no-such-name.invalid`,
        `tcp://127.0.0.1:${silent}`,
      ),
    });
    expect(await run(connecting(`${closed}, '127.0.0.1'`))).toBe('failed: ECONNREFUSED');
    const told = `try { ${connecting(`${closed}, '127.0.0.1'`)} } catch ({ message, syscall, address, port }) {
      return JSON.stringify({ message, syscall, address, port });
    }`;
    expect(JSON.parse(await run(told))).toEqual({
      ...{ message: `connect ECONNREFUSED 127.0.0.1:${closed}`, syscall: 'connect' },
      ...{ address: '127.0.0.1', port: closed },
    });
    expect(await run(connecting(`${rude}, '127.0.0.1'`))).toBe('failed: ECONNRESET');
    expect(await run(connecting("80, 'no-such-name.invalid'"))).toMatch(/^failed: (ENOTFOUND|EAI_AGAIN)$/);
    expect(
      await run(
        `return await (await fetch('http://127.0.0.1:${silent}/', { signal: AbortSignal.timeout(200) })).text()`,
      ),
    ).toBe('failed: 23');
  });
});
