import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMasterKey, Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectShortTurns } from '../../../testing/longest-block.ts';
import { selfSigned } from '../../adapter/test/outbound/certificates.ts';
import type { MailMessage, MailTransport } from '../src/admin/mail/mail.ts';
import { createOutbox } from '../src/admin/mail/outbox.ts';
import { folderTransport, smtpTransport } from '../src/index.ts';
import { defaultTiming } from '../src/timing.ts';
import { type Misbehavior, startHostileMailServer } from './hostile-mail-server.ts';

const from = 'Ledger Operations <no-reply@ledger.example>';
const message: MailMessage = {
  to: 'ada@example.com',
  subject: 'Größe',
  text: 'First line\n\nhttps://console.example/#/invitation?invitationToken=inv_abc\n',
};

/** A mail server that records mails and can refuse them. */
interface MailServer {
  readonly port: number;
  readonly received: { from: string; to: string[]; raw: string; user: string | undefined }[];
  refusals: number;
  close(): Promise<void>;
}

async function startMailServer(options: { password?: string } = {}): Promise<MailServer> {
  const state: Omit<MailServer, 'port' | 'close'> = { received: [], refusals: 0 };
  const server = new SMTPServer({
    authOptional: options.password === undefined,
    allowInsecureAuth: true,
    disabledCommands: options.password === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      if (password === options.password && username !== undefined) done(null, { user: username });
      else done(new Error('wrong'));
    },
    onRcptTo(_address, _session, done) {
      if (state.refusals === 0) {
        done();
        return;
      }
      state.refusals -= 1;
      done(Object.assign(new Error('not now'), { responseCode: 451 }));
    },
    onData(stream, { envelope, user }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        state.received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts).toString('latin1'),
          user: typeof user === 'string' ? user : undefined,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(state, {
    port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

describe('mail over SMTP', () => {
  let server: MailServer;
  let transport: MailTransport;
  beforeEach(async () => {
    server = await startMailServer();
    transport = smtpTransport({ host: '127.0.0.1', port: server.port, from, timeout: 5_000 });
  });
  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  it('the mail server receives the complete mail, including its link', async () => {
    await transport.send(message);
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'no-reply@ledger.example', to: ['ada@example.com'] });
    expect(mail?.raw).toContain('Subject: =?UTF-8?');
    expect(decoded(mail?.raw ?? '')).toContain('inv_abc');
  });

  it('mail goes to one person, even if the address looks like several addresses', async () => {
    for (const to of ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com']) {
      await transport.send({ ...message, to }).catch(() => undefined);
    }
    expect(server.received.flatMap((mail) => mail.to)).not.toContain('b@example.com');
    expect(server.received.map((mail) => mail.raw).join('')).not.toMatch(/^Bcc:/im);
  });

  it('sending mail fails if the server refuses it or does not respond', async () => {
    server.refusals = 1;
    await expect(transport.send(message)).rejects.toThrow();
    const gone = smtpTransport({ host: '127.0.0.1', port: 1, from, timeout: 1_000 });
    await expect(gone.send(message)).rejects.toThrow();
    await gone.close();
  });

  it('logs in to a mail server, but does not send a password without TLS unless configured', async () => {
    const strict = await startMailServer({ password: 'secret' });
    const login = { host: '127.0.0.1', port: strict.port, from, user: 'me', password: new Secret('secret') };
    const safe = smtpTransport(login);
    await expect(safe.send(message)).rejects.toThrow(/STARTTLS/i);
    const open = smtpTransport({ ...login, requireTls: false });
    await open.send(message);
    expect(strict.received).toMatchObject([{ user: 'me' }]);
    await Promise.all([safe.close(), open.close()]);
    await strict.close();
  });
});

describe('hostile mail servers', () => {
  const own = selfSigned(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

  async function sendTo(misbehavior: Misbehavior, timeout = 5_000, certificate = own): Promise<void> {
    const server = await startHostileMailServer(misbehavior, certificate);
    const login = { user: 'me', password: new Secret('secret') };
    const ca = certificate.cert;
    const transport = smtpTransport({ host: '127.0.0.1', port: server.port, from, timeout, ca, ...login });
    try {
      await transport.send(message);
    } finally {
      await transport.close();
      await server.close();
    }
  }

  it('ignores unencrypted data that a mail server sends after STARTTLS', async () => {
    await sendTo('injection');
  });

  it('does not send mail to a server whose certificate is for another host', async () => {
    const other = selfSigned(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'other.example');
    await expect(sendTo('injection', undefined, other)).rejects.toThrow(
      "does not match certificate's altnames",
    );
  });

  it.each<[Misbehavior, string | RegExp, timeout?: number]>([
    ['no-starttls', 'Error upgrading connection with STARTTLS'],
    ['no-handshake', 'TLS handshake timed out', 200],
    // nodemailer's own limit for one response may apply first.
    ['greetings', /sent more than 32768 bytes|exceeds maximum allowed size/],
    ['line', /sent more than 32768 bytes|exceeds maximum allowed size/],
    ['lines', 'The mail server sent more than 32768 bytes.'],
    ['tls-lines', 'The mail server sent more than 32768 bytes.'],
    ['drip', 'The mail server did not accept the mail within 1800 ms.', 300],
  ])('ends the connection to a mail server that misbehaves: %s', async (misbehavior, reason, timeout) => {
    await expectShortTurns(() => expect(sendTo(misbehavior, timeout)).rejects.toThrow(reason));
  });
});

it('mail in a folder is plain text and readable by its owner only', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'ledger-ops-mail-'));
  try {
    const folder = join(parent, 'mail');
    const link = `https://console.example/${'deep/'.repeat(30)}#/init-user?initToken=ini_${'aZ3-'.repeat(11)}`;
    const written: [string, string | undefined][] = [];
    const onWritten = (file: string, mail: MailMessage) => written.push([file, mail.link]);
    const transport = folderTransport({ folder, from, onWritten });
    await transport.send({ ...message, text: `Größe:\n${link}\n`, link });
    await transport.send({ ...message, to: 'a@example.com\r\nBcc: b@example.com' });
    const files = await readdir(folder);
    expect(written.map(([file]) => file).sort()).toEqual(files.map((file) => join(folder, file)).sort());
    const [[file = ''] = []] = written;
    expect(written[0]?.[1]).toBe(link);
    expect(file).toMatch(/\.eml$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const raw = await readFile(file, 'utf8');
    expect(raw).toContain('To: ada@example.com\r\nSubject: Größe\r\n');
    expect(raw.split('\r\n')).toEqual(expect.arrayContaining(['Größe:', link]));
    expect(await readFile(written[1]?.[0] ?? '', 'utf8')).not.toMatch(/^Bcc:/im);
    await transport.close();
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});

describeStores('the outbox', (open) => {
  let store: Store;
  let server: MailServer;
  let transport: MailTransport;
  const clock = { ms: 1_000_000 };
  const errors: Record<string, unknown>[] = [];
  const masterKey = createMasterKey(randomBytes(32));
  const make = () =>
    createOutbox({
      store,
      masterKey,
      transport,
      now: () => clock.ms,
      logger: { info() {}, error: (fields) => errors.push(fields) },
      timing: defaultTiming.mails,
    });
  const waiting = () =>
    store.read.all<{ attempts: number; sealed: Uint8Array }>('select attempts, sealed from mail');
  beforeEach(async () => {
    store = await open();
    server = await startMailServer();
    transport = smtpTransport({ host: '127.0.0.1', port: server.port, from, timeout: 5_000 });
    errors.length = 0;
  });
  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  it('the outbox sends committed mail once and then deletes it', async () => {
    const outbox = make();
    await store.transaction((tx) => outbox.add(tx, message));
    await expect.poll(() => server.received).toHaveLength(1);
    await expect.poll(waiting).toEqual([]);
    await outbox.sweep();
    await outbox.close();
    expect(server.received).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  it('the outbox does not send mail of a transaction that was rolled back', async () => {
    const outbox = make();
    const work = store.transaction(async (tx) => {
      await outbox.add(tx, message);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    await outbox.sweep();
    await outbox.close();
    expect(server.received).toEqual([]);
  });

  it('the outbox encrypts queued mail, and retries refused mail even after a restart', async () => {
    const outbox = make();
    server.refusals = 1;
    await store.transaction((tx) => outbox.add(tx, message));
    await expect.poll(() => errors).toHaveLength(1);
    await outbox.close();
    const [row] = await waiting();
    expect(row?.attempts).toBe(1);
    expect(Buffer.from(row?.sealed ?? []).toString('latin1')).not.toContain('inv_abc');
    expect(JSON.stringify(errors)).not.toContain('ada@example.com');
    const restarted = make();
    await restarted.sweep();
    expect(server.received).toEqual([]);
    clock.ms += 60_000;
    await restarted.sweep();
    expect(server.received).toHaveLength(1);
    expect(await waiting()).toEqual([]);
    await restarted.close();
  });

  it('the outbox sends a mail once, even if several servers sweep concurrently', async () => {
    const outbox = make();
    await outbox.close();
    // The outbox is closed before the commit, so the mail is stored but not sent, as after a crash.
    await store.transaction((tx) => outbox.add(tx, message));
    await Promise.all(Array.from({ length: 5 }, () => make().sweep()));
    expect(server.received).toHaveLength(1);
  });

  it('while a mail server stalls, the outbox opens few connections, and sends the other mails later', async () => {
    const gate = Promise.withResolvers<void>();
    let sending = 0;
    let most = 0;
    transport = {
      async send() {
        sending += 1;
        most = Math.max(most, sending);
        await gate.promise;
        sending -= 1;
      },
      async close() {},
    };
    const outbox = make();
    for (let count = 0; count < 40; count += 1) await store.transaction((tx) => outbox.add(tx, message));
    await expect.poll(() => sending).toBeGreaterThan(0);
    gate.resolve();
    await expect.poll(() => sending).toBe(0);
    await outbox.sweep();
    await outbox.close();
    expect(most).toBeLessThanOrEqual(10);
    expect(await waiting()).toEqual([]);
  });

  it('closing the outbox waits only for the mails that are being sent', async () => {
    const first = make();
    await first.close();
    for (let count = 0; count < 5; count += 1) await store.transaction((tx) => first.add(tx, message));
    const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    transport = {
      async send() {
        begun.resolve();
        await gate.promise;
      },
      async close() {},
    };
    const outbox = make();
    const swept = outbox.sweep();
    await begun.promise;
    const closed = outbox.close();
    gate.resolve();
    await Promise.all([swept, closed]);
    expect(await waiting()).toHaveLength(4);
  });

  it('the outbox gives up after a day of refusals, and logs it', async () => {
    const outbox = make();
    server.refusals = 1_000;
    await store.transaction((tx) => outbox.add(tx, message));
    await expect.poll(() => errors).toHaveLength(1);
    for (let i = 0; i < 20; i += 1) {
      clock.ms += 24 * 60 * 60 * 1_000;
      await outbox.sweep();
    }
    await outbox.close();
    expect(await waiting()).toEqual([]);
    expect(errors).toHaveLength(12);
    expect(errors.at(-1)).toMatchObject({ attempts: 12 });
  });
});

/** Text of a mail's body: quoted-printable, base64, or as it is. */
function decoded(raw: string): string {
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  if (/content-transfer-encoding: base64/i.test(raw)) return Buffer.from(body, 'base64').toString('utf8');
  return body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
