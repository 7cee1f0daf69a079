import { spawn } from 'node:child_process';
import { createCipheriv, createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerOptions } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { handshakes, OutboundClient } from '../../src/outbound/index.ts';
import { TlsGate } from '../../src/outbound/tls-gate.ts';
import { dhParameters, expensiveChain, rsaKey, selfSigned } from './certificates.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serve(options: ServerOptions): Promise<URL> {
  const server = createServer(options, (_request, response) => response.end('here'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const address = server.address();
  return new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

/** Returns an address at which nothing listens. */
async function closedPort(): Promise<URL> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

/** Keeps this thread's processor busy. */
function compute(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) Math.sqrt(until);
}

/** Blocks this thread without using its processor. */
function stall(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

async function ask(url: URL, ca: string, tenant: string = randomUUID(), bytes = 100): Promise<string> {
  const client = new OutboundClient({ open: ['127.0.0.1'], tenant }, { timeoutMs: 30_000, tls: { ca } });
  ends.push(() => client.close());
  return await client.exchange(
    { url, method: 'GET', headers: {}, limits: { bytes, values: 100 } },
    ({ content }) => content.toString(),
  );
}

const ecKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

test.each(['TLSv1.2', 'TLSv1.3'] as const)('connects to a TLS server with %s', async (version) => {
  const { key, cert } = selfSigned(ecKey());
  expect(await ask(await serve({ key, cert, minVersion: version, maxVersion: version }), cert)).toBe('here');
});

test('reaches a server with a certificate of 4,096 bits', async () => {
  const { key, cert } = selfSigned(rsaKey(4));
  expect(await ask(await serve({ key, cert }), cert)).toBe('here');
});

test('refuses finite-field Diffie-Hellman, because its modulus can have 10,000 bits', async () => {
  const { key, cert } = selfSigned(rsaKey(2));
  const url = await serve({
    ...{ key, cert, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
    ciphers: 'DHE-RSA-AES128-GCM-SHA256',
    dhparam: dhParameters(10_000),
  });
  await expect(ask(url, cert)).rejects.toMatchObject({ failure: 'unreachable' });
});

test('refuses a finite-field group in TLS 1.3', async () => {
  const { key, cert } = selfSigned(ecKey());
  const url = await serve({ key, cert, minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe3072:ffdhe2048' });
  await expect(ask(url, cert)).rejects.toMatchObject({ failure: 'unreachable' });
});

test('refuses a certificate whose RSA key has more than 8,192 bits', async () => {
  const { key, cert } = selfSigned(rsaKey(10));
  await expect(ask(await serve({ key, cert }), cert)).rejects.toMatchObject({
    message: expect.stringContaining('EPEERKEY'),
  });
});

test('refuses certificates of more than 32 KiB, because checking their many names against name constraints takes long', async () => {
  const { key, cert } = selfSigned(ecKey(), undefined, 3_500);
  await expect(ask(await serve({ key, cert }), cert)).rejects.toMatchObject({
    message: expect.stringContaining('EPEERKEY'),
  });
  const usual = selfSigned(ecKey(), undefined, 500);
  expect(await ask(await serve(usual), usual.cert)).toBe('here');
});

test('closes a connection whose server sends thousands of session tickets', async () => {
  const { key, cert } = selfSigned(ecKey());
  const folder = await openFolder();
  ends.push(() => folder.remove());
  const files = ['-key', join(folder.path, 'key.pem'), '-cert', join(folder.path, 'cert.pem')];
  await writeFile(join(folder.path, 'key.pem'), key);
  await writeFile(join(folder.path, 'cert.pem'), cert);
  const serveWith = async (tickets: number) => {
    const child = spawn('openssl', [
      's_server',
      '-accept',
      '0',
      '-www',
      ...files,
      '-num_tickets',
      `${tickets}`,
    ]);
    ends.push(async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    });
    let printed = '';
    return await new Promise<URL>((resolve, reject) => {
      child.on('error', reject);
      child.stdout.on('data', (part: Buffer) => {
        printed += part;
        const [, port] = /^ACCEPT .*:(\d+)$/m.exec(printed) ?? [];
        if (port !== undefined) resolve(new URL(`https://127.0.0.1:${port}/`));
      });
    });
  };
  await expect(ask(await serveWith(4), cert)).rejects.toMatchObject({ failure: 'too-long' });
  const hostile = await serveWith(20_000);
  await expectShortTurns(() => expect(ask(hostile, cert)).rejects.toMatchObject({ failure: 'unreachable' }));
});

/** Creates a TCP server that sends bytes as fast as they are read. */
function flooding(part: Buffer): Promise<URL> {
  return serveTcp((socket) => {
    const flood = () => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', flood);
    socket.once('data', flood);
  });
}

async function serveTcp(accept: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    accept(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const address = server.address();
  return new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

test('closes a connection whose server sends hello requests instead of a handshake', async () => {
  const helloRequest = Buffer.from('160303000400000000', 'hex');
  const url = await flooding(Buffer.concat(Array.from({ length: 7_000 }, () => helloRequest)));
  await expect(ask(url, selfSigned(ecKey()).cert)).rejects.toMatchObject({
    message: expect.stringContaining('it sent too many TLS messages without content (ETLSOVERHEAD)'),
  });
});

test('closes a connection after thousands of TLS records of one byte', async () => {
  const { key, cert } = selfSigned(ecKey());
  let records = 0;
  const server = tls.createServer({ key, cert }, (socket) => {
    const write = () => {
      records += 1;
      if (socket.destroyed) return;
      if (records % 100 === 0) setImmediate(write);
      else socket.write('a', write);
    };
    socket.on('error', () => undefined);
    socket.setNoDelay();
    write();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const raw = connect(port, '127.0.0.1');
  await once(raw, 'connect');
  const gate = new TlsGate(raw, 'tiny-records');
  const secure = tls.connect({ socket: gate, ca: cert, host: 'localhost' });
  gate.attach(secure);
  secure.once('secureConnect', () => gate.complete());
  secure.resume();
  const [error] = await once(secure, 'error');
  expect(error.code).toBe('ETLSOVERHEAD');
  expect(secure.bytesRead).toBeGreaterThan(4_096);
});

/**
 * Returns encrypted key updates of TLS 1.3 (RFC 8446 §4.6.3). Each one changes the key of the next.
 * @param firstNumber record number of the first key update
 */
async function keyUpdates(secret: Buffer, count: number, firstNumber: number): Promise<Buffer> {
  let traffic = secret;
  const expand = (label: string, length: number) => {
    const text = Buffer.from(`tls13 ${label}`);
    const info = Buffer.concat([Buffer.of(0, length, text.length), text, Buffer.of(0, 1)]);
    return createHmac('sha256', traffic).update(info).digest().subarray(0, length);
  };
  const records: Buffer[] = [];
  for (let at = 0; at < count; at += 1) {
    const nonce = Buffer.from(expand('iv', 12));
    nonce[11] = (nonce[11] ?? 0) ^ (at === 0 ? firstNumber : 0);
    const head = Buffer.of(23, 3, 3, 0, 22);
    const cipher = createCipheriv('aes-128-gcm', expand('key', 16), nonce).setAAD(head);
    // Handshake message 24 (key update) with one byte, which requests no answer. 22 is the record type.
    const content = Buffer.concat([cipher.update(Buffer.of(24, 0, 0, 1, 0, 22)), cipher.final()]);
    records.push(head, content, cipher.getAuthTag());
    traffic = expand('traffic upd', 32);
    if (at % 100 === 0) await new Promise(setImmediate);
  }
  return Buffer.concat(records);
}

/** Returns a server that sends half of a body, and then only key updates. */
async function keyUpdatingServer(credentials: { key: string; cert: string }): Promise<URL> {
  const server = createTcpServer((raw) => {
    const options = { isServer: true, secureContext: tls.createSecureContext(credentials) };
    const secure = new tls.TLSSocket(raw, options);
    let secret: Buffer | undefined;
    secure.on('keylog', (line: Buffer) => {
      const [, hex] = /^SERVER_TRAFFIC_SECRET_0 \w+ (\w+)/.exec(line.toString()) ?? [];
      if (hex !== undefined) secret = Buffer.from(hex, 'hex');
    });
    secure.on('error', () => undefined);
    raw.on('error', () => undefined);
    secure.once('data', async () => {
      secure.write(`HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n${'a'.repeat(45)}`);
      if (secret === undefined) return;
      // Records 0 and 1 are tickets; record 2 is the answer.
      raw.write(await keyUpdates(secret, 20_000, 3));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
  const address = server.address();
  return new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

test('refuses a TLS certificate of another host', async () => {
  const { key, cert } = selfSigned(ecKey(), 'other.example');
  await expect(ask(await serve({ key, cert }), cert)).rejects.toMatchObject({
    message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
  });
});

test('refuses a certificate whose RSA key has a huge exponent', async () => {
  const { key, cert } = selfSigned(rsaKey(2, 2n ** 1_000n + 1n));
  await expect(ask(await serve({ key, cert }), cert)).rejects.toMatchObject({
    message: expect.stringContaining('EPEERKEY'),
  });
});

test('refuses a TLS renegotiation', async () => {
  const { key, cert } = selfSigned(ecKey());
  const refused = Promise.withResolvers<NodeJS.ErrnoException>();
  const server = tls.createServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', (error) => {
      refused.resolve(error);
      socket.destroy();
    });
    socket.once('data', () => socket.renegotiate({}, () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
  const address = server.address();
  const url = new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  await expect(ask(url, cert)).rejects.toMatchObject({ failure: 'unreachable' });
  expect((await refused.promise).code).toBe('ERR_SSL_NO_RENEGOTIATION');
});

/** Uses this thread's processor. */
function burn(milliseconds: number): void {
  const before = process.threadCpuUsage();
  const used = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  while (used() < milliseconds);
}

test('a tenant whose handshakes blocked the event loop must wait before its next handshake', async () => {
  const good = selfSigned(ecKey());
  const healthy = await serve(good);
  const aborted: string[] = [];
  const [first] = ['first', 'second'].map((name) =>
    handshakes.begin('hostile', (error) => void aborted.push(`${name} ${error.name}`)),
  );
  first?.run(() => burn(40));
  expect(aborted).toEqual([]);
  expect(await ask(healthy, good.cert, 'hostile')).toBe('here');
  first?.run(() => burn(40));
  // All handshakes of the tenant that were in progress are aborted.
  expect(aborted).toEqual(['first HandshakeRestError', 'second HandshakeRestError']);
  await expect(ask(healthy, good.cert, 'hostile')).rejects.toMatchObject({
    message: expect.stringContaining('EHANDSHAKE'),
  });
  expect(await ask(healthy, good.cert, 'other')).toBe('here');
});

test.each([
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
  ['TLS 1.3', { minVersion: 'TLSv1.3' }],
  ['AES-128 in TLS 1.3', { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' }],
  ['ChaCha20 in TLS 1.3', { minVersion: 'TLSv1.3', ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }],
  ['TLS 1.3 after another hello', { minVersion: 'TLSv1.3', ecdhCurve: 'P-521' }],
] as const)(
  'refuses 22 certificates with huge exponents before OpenSSL verifies them, with %s',
  async (_form, options) => {
    const good = selfSigned(ecKey());
    const url = await serve({ ...expensiveChain(22), ...options });
    await expectShortTurns(async () => {
      const tenant = randomUUID();
      const asked = Array.from({ length: 24 }, () => ask(url, good.cert, tenant));
      for (const one of asked) {
        await expect(one).rejects.toMatchObject({ message: expect.stringContaining('EPEERKEY') });
      }
    });
    expect(await ask(await serve({ ...good, ...options }), good.cert)).toBe('here');
  },
);

/**
 * Returns a TCP proxy that sends at least this many bytes of the other server's answer in one write, and then
 * closes the connection.
 */
async function sendAtOnce(target: URL, bytes: number): Promise<URL> {
  return await serveTcp((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    const parts: Buffer[] = [];
    upstream.on('data', (part: Buffer) => {
      parts.push(part);
      const all = Buffer.concat(parts);
      if (all.length < bytes) return;
      upstream.destroy();
      socket.end(all);
    });
    socket.on('data', (part) => upstream.write(part));
    socket.once('close', () => upstream.destroy());
  });
}

test('refuses certificates with huge exponents even if the server closes the connection right after sending them', async () => {
  const good = selfSigned(ecKey());
  const chain = expensiveChain(22);
  const server = await serve({ ...chain, maxVersion: 'TLSv1.2' });
  const length = Buffer.from(chain.cert.replace(/-----[^-]+-----|\s/g, ''), 'base64').length;
  const url = await sendAtOnce(server, length + 300);
  await expect(ask(url, good.cert)).rejects.toMatchObject({ message: expect.stringContaining('EPEERKEY') });
});

test.each([
  ['keeps the connection open', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['closes the connection', 'no'],
  ['closes the connection within a record', '\x16\x03'],
])('fails immediately if a server does not use TLS and %s', async (what, greeting) => {
  const url = await serveTcp((socket) => {
    socket.write(greeting);
    if (what.startsWith('closes')) socket.end();
  });
  await expect(ask(url, selfSigned(ecKey()).cert)).rejects.toMatchObject({ failure: 'unreachable' });
});

test('a tenant whose connection was refused before the handshake may connect again immediately', async () => {
  const good = selfSigned(ecKey());
  const url = await closedPort();
  const busy = setInterval(compute, 1, 200);
  await expect(ask(url, good.cert, 'down')).rejects.toThrow('ECONNREFUSED');
  clearInterval(busy);
  expect(await ask(await serve(good), good.cert, 'down')).toBe('here');
});

test("a failed handshake that was slow only because the processor was busy does not delay the tenant's next one", async () => {
  const [good, other] = [selfSigned(ecKey()), selfSigned(ecKey())];
  const refused = ask(await serve(other), good.cert, 'starved');
  setImmediate(stall, 300);
  await expect(refused).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(await ask(await serve(good), good.cert, 'starved')).toBe('here');
});

test.each([
  ['TLSv1.2', 8],
  ['TLSv1.3', 8],
  ['TLSv1.2', 20],
  ['TLSv1.3', 20],
] as const)(
  'handshakes with %s and %d keys of 16,384 bits do not block the event loop',
  async (version, keys) => {
    const good = selfSigned(ecKey());
    const chain = expensiveChain(keys, { bits: 16_384, exponentBits: 64 });
    const url = await serve({ ...chain, minVersion: version, maxVersion: version });
    await expectShortTurns(async () => {
      const tenant = randomUUID();
      const asked = Array.from({ length: 4 }, () => ask(url, good.cert, tenant));
      for (const one of await Promise.allSettled(asked)) expect(one.status).toBe('rejected');
    });
  },
);

test.each([4, 200_000])(
  'reads an answer of %d bytes even if the server closes the connection right after sending it',
  async (length) => {
    const { key, cert } = selfSigned(ecKey());
    const server = tls.createServer({ key, cert }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${'a'.repeat(length)}`),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    });
    const address = server.address();
    const url = new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    expect(await ask(url, cert, randomUUID(), length)).toBe('a'.repeat(length));
  },
);

test('closes a connection whose server sends key updates after half of a body', async () => {
  const { key, cert } = selfSigned(ecKey());
  const url = await keyUpdatingServer({ key, cert });
  await expectShortTurns(() =>
    expect(ask(url, cert)).rejects.toMatchObject({
      message: expect.stringContaining('ETLSOVERHEAD'),
    }),
  );
});
