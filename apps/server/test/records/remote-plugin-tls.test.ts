// If no TLS connection to a remote plugin can be made, the registration of the plugin names the reason.
import { type AddressInfo, createServer } from 'node:net';
import { createRoot, issueIdentity, issueTls, type KeyPair } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';
import { UrlPlugin } from '../stage/url-plugin.ts';

const stack = new AsyncDisposableStack();
let here: Installation;
let tenant: Tenant;
let root: KeyPair;
let stranger: KeyPair;
let client: KeyPair;
let plainUrl: string;
const plugins = new Map<string, UrlPlugin>();
const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description]);
/** Servers that answer the first message of a TLS handshake with these bytes. */
const answers = new Map<string, Buffer>([
  ['reports an internal error', alert(80)],
  ['does not know the name', alert(112)],
  ['requires more security', alert(71)],
  ['denies access', alert(49)],
  ['has no cipher in common with this server', alert(40)],
  ['rejects the client certificate', alert(42)],
  ['rejects a revoked client certificate', alert(44)],
  ['rejects the handshake for an unnamed reason', alert(10)],
  ['sends content before the handshake', Buffer.from([23, 3, 3, 0, 5, 1, 2, 3, 4, 5])],
  ['speaks SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
]);
const answering = new Map<string, string>();

async function start(name: string, { certificate: cert, privateKey: key }: KeyPair, isMutual = false) {
  const mutual = isMutual ? { ca: root.certificate, requestCert: true, rejectUnauthorized: true } : {};
  const plugin = await new UrlPlugin({ tls: { cert, key, ...mutual } }).start();
  stack.defer(() => plugin.close());
  plugins.set(name, plugin);
}

beforeAll(async () => {
  const long = { notBefore: new Date('2019-01-01'), notAfter: new Date('2095-01-01') };
  root = await createRoot({ commonName: 'the authority', ...long });
  const other = await createRoot({ commonName: 'another authority' });
  stranger = await issueTls(other, { commonName: 'a stranger' });
  client = await issueTls(root, { commonName: 'the server' });
  const past = { notBefore: new Date('2020-01-01'), notAfter: new Date('2020-01-02') };
  const future = { notBefore: new Date('2090-01-01'), notAfter: new Date('2090-01-02') };
  await start('good', await issueTls(root, { commonName: 'plugin' }));
  await start('expired', await issueTls(root, { commonName: 'plugin', ...past }));
  await start('early', await issueTls(root, { commonName: 'plugin', ...future }));
  await start('unknown', stranger);
  await start('misnamed', await issueIdentity(root, { commonName: 'elsewhere' }));
  await start('self-signed', await createRoot({ commonName: 'plugin' }));
  // A certificate for servers is used as an authority.
  const leaf = await issueTls(root, { commonName: 'not an authority' });
  const below = await issueTls(leaf, { commonName: 'plugin' });
  await start('below', { ...below, certificate: below.certificate + leaf.certificate });
  for (const [name, bytes] of answers) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stack.defer(() => void server.close());
    // A server on a port has an address of this form.
    const { port } = server.address() as AddressInfo;
    answering.set(name, `https://127.0.0.1:${port}`);
  }
  await start('mutual', await issueTls(root, { commonName: 'plugin' }), true);
  const plain = await new UrlPlugin().start();
  stack.defer(() => plain.close());
  const urls = [...[...plugins.values()].map(({ url }) => url), ...answering.values()];
  const notTls = plain.url.replace('http:', 'https:');
  here = await install({ PLUGINS_ALLOWED: [...urls, notTls].join(',') });
  stack.defer(() => here.close());
  tenant = await addTenant(here.url, here.administrator, 'one');
  plainUrl = notTls;
});
afterAll(() => stack.disposeAsync());

async function warningsOf(url: string | undefined, pair?: KeyPair): Promise<string[]> {
  const { api, projectId } = tenant;
  const certificates = pair && { clientCertificate: pair.certificate, clientKey: pair.privateKey };
  const { id, warnings } = await api.expect<{ id: string; warnings: string[] }>(201, 'POST', '/v1/plugins', {
    ...{ name: 'tally', projectId, url, tags: ['tally'] },
    credentials: { bearerToken: 'a-token', certificateAuthority: root.certificate, ...certificates },
  });
  // A project may have 20 plugins.
  await api.expect(204, 'DELETE', `/v1/plugins/${id}`);
  return warnings;
}

test.each([
  ['has an expired certificate', 'expired', /its certificate has expired \(CERT_HAS_EXPIRED\)/],
  [
    'has a certificate that is not valid yet',
    'early',
    /its certificate is not valid yet \(CERT_NOT_YET_VALID\)/,
  ],
  [
    'has a certificate of an unknown authority',
    'unknown',
    /was issued by an authority that is not trusted here/,
  ],
  [
    'has a certificate for another name',
    'misnamed',
    /its certificate is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  ],
  [
    'has a self-signed certificate',
    'self-signed',
    /issued by an authority that is not trusted here|self-signed/,
  ],
  [
    'has a certificate issued by a server certificate',
    'below',
    /its certificate(?:, or one of its chain, is not allowed for this purpose| cannot be verified) \(/,
  ],
  [
    'requires a client certificate',
    'mutual',
    /closed the connection; if it requires a client certificate, none was sent/,
  ],
])('registering a plugin returns a warning with the reason if it %s', async (_, name, reason) => {
  expect((await warningsOf(plugins.get(name)?.url)).join(' ')).toMatch(reason);
});

test.each([
  ['reports an internal error', /it reports an internal error in the TLS handshake/],
  ['does not know the name', /it does not know the host name in its URL/],
  ['requires more security', /no TLS version, cipher or certificate in common/],
  ['denies access', /it denied access in the TLS handshake/],
  ['has no cipher in common with this server', /no TLS version, cipher or certificate in common/],
  ['rejects the client certificate', /it does not accept the client certificate that was sent/],
  ['rejects a revoked client certificate', /it does not accept the client certificate that was sent/],
  [
    'rejects the handshake for an unnamed reason',
    /the TLS handshake failed \(ERR_SSL_\S+_ALERT_UNEXPECTED_MESSAGE\)/,
  ],
  ['sends content before the handshake', /the TLS handshake failed \(ERR_SSL_UNEXPECTED_MESSAGE\)/],
  ['speaks SSH', /it does not speak TLS there/],
])(
  'registering a plugin returns a warning with the reason if the server at its address %s',
  async (name, reason) => {
    expect((await warningsOf(answering.get(name), client)).join(' ')).toMatch(reason);
  },
);

test('the registration warns if the plugin rejects the client certificate, or does not speak TLS', async () => {
  const url = plugins.get('mutual')?.url;
  expect((await warningsOf(url, stranger)).join(' ')).toMatch(
    /if it requires a client certificate, it may not accept the one that was sent/,
  );
  expect((await warningsOf(plainUrl)).join(' ')).toMatch(/it does not speak TLS there/);
});

test('a plugin with a trusted certificate is registered without a warning about TLS', async () => {
  const fitting = ['There is no ledger of technology "tally" yet.'];
  expect(await warningsOf(plugins.get('good')?.url)).toEqual(fitting);
  expect(await warningsOf(plugins.get('mutual')?.url, client)).toEqual(fitting);
});
