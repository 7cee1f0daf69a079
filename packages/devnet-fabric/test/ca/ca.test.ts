import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attributesOid, createRoot, issueIdentity } from '../../src/ca/issue.ts';
import { type CertificateAuthority, startCertificateAuthority } from '../../src/ca/server.ts';
import { x509 } from '../../src/ca/x509.ts';
import { type CaAnswer, certificateRequest, createCaClient, type Enrolled } from './client.ts';

const root = await createRoot({ commonName: 'ca.org1', organization: 'org1' });
const tlsRoot = await createRoot({ commonName: 'tlsca.org1' });
const registrar = { enrollmentId: 'registrar', enrollmentSecret: 'registrar secret' };
const options = {
  mspId: 'Org1MSP',
  name: 'ca-org1',
  root,
  tlsRoot,
  registrar,
  affiliations: ['org1', 'org1.sales'],
};
const registerPath = '/api/v1/register';
const reenrollPath = '/api/v1/reenroll';
const revokePath = '/api/v1/revoke';

let ca: CertificateAuthority;
let client: ReturnType<typeof createCaClient>;
let boss: Enrolled;
/** A name that no other test uses. */
let id: string;
let count = 0;

beforeAll(async () => {
  ca = await startCertificateAuthority(options);
  client = createCaClient(ca);
  boss = await enrol(registrar.enrollmentId, registrar.enrollmentSecret);
});

afterAll(async () => {
  await client.close();
  await ca.close();
});

beforeEach(() => {
  count++;
  id = `user${count}`;
});

function certificateOf(answer: CaAnswer): string {
  expect(answer.errors).toEqual([]);
  return Buffer.from(answer.result.Cert, 'base64').toString();
}

async function enrol(who: string, secret: string, more: object = {}): Promise<Enrolled> {
  const { pem, key } = await certificateRequest(who);
  const answer = await client.enroll(who, secret, { certificate_request: pem, ...more });
  return { certificate: certificateOf(answer), key };
}

async function registered(more: object = {}): Promise<string> {
  const answer = await client.signed(registerPath, boss, { id, ...more });
  expect(answer).toMatchObject({ status: 201, errors: [], success: true });
  return answer.result.secret;
}

function attributesIn(certificate: string): unknown {
  const extension = new x509.X509Certificate(certificate).getExtension(attributesOid);
  return extension === null ? undefined : JSON.parse(Buffer.from(extension.value).toString());
}

describe('cainfo', () => {
  it('cainfo returns the name of the CA and its root certificate', async () => {
    for (const [method, path] of [
      ['GET', '/cainfo'],
      ['GET', '/api/v1/cainfo?ca=ca-org1'],
      ['POST', '/api/v1/cainfo'],
    ] as const) {
      const answer = await client.call(method, path);
      expect(answer).toMatchObject({ status: 200, errors: [], success: true, result: { CAName: 'ca-org1' } });
      expect(Buffer.from(answer.result.CAChain, 'base64').toString()).toBe(root.certificate);
    }
  });

  it('the CA rejects requests with an unknown CA name, path or method', async () => {
    expect(await client.call('GET', '/api/v1/cainfo?ca=other')).toMatchObject({
      ...{ status: 404, success: false, result: '' },
      errors: [{ code: 19, message: "CA 'other' does not exist" }],
    });
    expect(await client.call('GET', '/api/v1/nothing')).toMatchObject({ status: 404 });
    expect(await client.call('GET', '/api/v1/enroll')).toMatchObject({ status: 405, errors: [{ code: 1 }] });
  });
});

describe('a request', () => {
  it('a request body that is too long is rejected', async () => {
    const long = 'x'.repeat(2 * 1024 * 1024);
    expect(await client.call('POST', '/api/v1/enroll', long)).toMatchObject({ status: 413, success: false });
    expect(await client.call('GET', '/cainfo')).toMatchObject({ status: 200 });
  });
});

describe('enrollment', () => {
  it('enrollment issues a certificate with the registered type and affiliation', async () => {
    const secret = await registered({ type: 'peer', affiliation: 'org1.sales' });
    const { pem, key } = await certificateRequest(id, {
      names: [{ C: ['DE'] }, { O: ['Org One'] }, { OU: ['admin'] }],
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'peer0.org1' }])],
    });
    const answer = await client.enroll(id, secret, { certificate_request: pem, caname: 'ca-org1' });
    expect(answer).toMatchObject({
      status: 201,
      success: true,
      result: { ServerInfo: { CAName: 'ca-org1' } },
    });
    const certificate = new X509Certificate(certificateOf(answer));
    expect(certificate.subject).toBe(`C=DE\nO=Org One\nOU=peer + OU=org1 + OU=sales\nCN=${id}`);
    expect(certificate.subjectAltName).toBe('DNS:peer0.org1');
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(new X509Certificate(root.certificate).publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(key)).toBe(true);
    expect(attributesIn(certificateOf(answer))).toEqual({
      attrs: { 'hf.Affiliation': 'org1.sales', 'hf.EnrollmentID': id, 'hf.Type': 'peer' },
    });
  });

  it('enrollment with a wrong secret or an unknown id fails with the same error', async () => {
    const { pem } = await certificateRequest(registrar.enrollmentId);
    const body = { certificate_request: pem };
    const refused = { status: 401, result: '', errors: [{ code: 20, message: 'Authentication failure' }] };
    expect(await client.enroll(registrar.enrollmentId, 'wrong', body)).toMatchObject(refused);
    expect(await client.enroll('nobody', 'wrong', body)).toMatchObject(refused);
    expect(await client.call('POST', '/api/v1/enroll', body, 'Bearer x')).toMatchObject(refused);
    expect(await client.call('POST', '/api/v1/enroll', body)).toMatchObject({
      status: 401,
      errors: [{ code: 2 }],
    });
  });

  it('after ten wrong secrets, enrollment is locked even for the right secret', async () => {
    const secret = await registered();
    for (let tries = 0; tries < 10; tries++)
      expect((await client.enroll(id, 'wrong', {})).errors).toMatchObject([{ code: 20 }]);
    expect(await client.enroll(id, secret, {})).toMatchObject({ status: 401, errors: [{ code: 73 }] });
  });

  it('an invalid enrollment request is rejected and does not count as an enrollment', async () => {
    const secret = await registered({ max_enrollments: 1 });
    const other = await certificateRequest('other');
    const tooLong = await certificateRequest(id, { names: [{ O: ['x'.repeat(65)] }] });
    const forCa = await certificateRequest(id, { extensions: [new x509.BasicConstraintsExtension(true)] });
    const own = await certificateRequest(id);
    const bytes = Buffer.from(own.pem.replaceAll(/-----.*-----/g, ''), 'base64');
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    const label = 'CERTIFICATE REQUEST-----';
    const forged = `-----BEGIN ${label}\n${bytes.toString('base64')}\n-----END ${label}\n`;
    for (const [request, status, code] of [
      ['', 400, 31],
      ['nonsense', 400, 31],
      [`-----BEGIN ${label}\nAAAA\n-----END ${label}\n`, 500, 0],
      [other.pem, 403, 77],
      [tooLong.pem, 400, 80],
      [forCa.pem, 403, 71],
      [forged, 500, 0],
    ] as const)
      expect(await client.enroll(id, secret, { certificate_request: request })).toMatchObject({
        ...{ status, errors: [{ code }], success: false },
      });
    for (const body of ['{', '[]', '{"certificate_request": 1}'])
      expect(await client.call('POST', '/api/v1/enroll', body, basic(id, secret))).toMatchObject({
        ...{ status: 400, errors: [{ code: 5 }] },
      });
    expect(await client.call('POST', '/api/v1/enroll', '', basic(id, secret))).toMatchObject({
      ...{ status: 400, errors: [{ code: 4 }] },
    });
    expect(
      (await client.enroll(id, secret, { certificate_request: own.pem, caname: 'x' })).errors,
    ).toMatchObject([{ code: 19 }]);
    await enrol(id, secret);
  });

  it('enrollment is limited to the registered number, even for concurrent requests', async () => {
    const secret = await registered({ max_enrollments: 2 });
    const { pem } = await certificateRequest(id);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => client.enroll(id, secret, { certificate_request: pem })),
    );
    expect(all.map((one) => one.status).sort()).toEqual([201, 201, 401, 401, 401]);
  });

  it('enrollment includes the requested attributes in the certificate', async () => {
    const attrs = [
      { name: 'level', value: '3', ecert: true },
      { name: 'quiet', value: '4' },
    ];
    const secret = await registered({ attrs });
    expect(attributesIn((await enrol(id, secret)).certificate)).toMatchObject({ attrs: { level: '3' } });
    const asked = { attr_reqs: [{ name: 'quiet' }, { name: 'absent', optional: true }] };
    expect(attributesIn((await enrol(id, secret, asked)).certificate)).toEqual({ attrs: { quiet: '4' } });
    const { pem } = await certificateRequest(id);
    const missing = { certificate_request: pem, attr_reqs: [{ name: 'absent' }] };
    expect(await client.enroll(id, secret, missing)).toMatchObject({
      status: 500,
      errors: [{ code: 0, message: expect.stringContaining('[absent]') }],
    });
  });
});

describe('registration', () => {
  it('registration generates a secret if none is given', async () => {
    const secret = await registered();
    expect(secret).toMatch(/^[\w-]{12}$/);
    await enrol(id, secret);
  });

  it('registration rejects an id that is taken, and invalid fields', async () => {
    await registered();
    expect(await client.signed(registerPath, boss, { id })).toMatchObject({
      status: 409,
      errors: [{ code: 74, message: `Identity '${id}' is already registered` }],
    });
    expect(await client.signed(registerPath, boss, { id: 'x', max_enrollments: -2 })).toMatchObject({
      ...{ status: 400, errors: [{ code: 82 }] },
    });
    for (const body of [{}, { id: 5 }, { id: 'x', attrs: 'y' }])
      expect(await client.signed(registerPath, boss, body)).toMatchObject({
        status: 400,
        errors: [{ code: 5 }],
      });
  });

  it('registration requires a token for exactly this request, signed with a certificate of this CA', async () => {
    const refused = { status: 401, errors: [{ code: 20, message: 'Authentication failure' }] };
    const body = { id };
    const stranger = await createRoot({ commonName: 'ca.org1', organization: 'org1' });
    const asEnrolled = async (from: typeof root, more: object = {}): Promise<Enrolled> => {
      const { certificate, privateKey } = await issueIdentity(from, { commonName: 'registrar', ...more });
      return { certificate, key: createPrivateKey(privateKey) };
    };
    for (const who of [
      await asEnrolled(stranger),
      // The certificate is signed by the root, but unknown to this CA.
      await asEnrolled(root),
      await asEnrolled(root, { notAfter: new Date(Date.now() - 60_000) }),
      { certificate: boss.certificate, key: (await certificateRequest('x')).key },
    ])
      expect(await client.signed(registerPath, who, body)).toMatchObject(refused);
    expect(await client.signed(registerPath, boss, body, { high: true })).toMatchObject(refused);
    expect(await client.signed(registerPath, boss, body, { otherBody: '{}' })).toMatchObject(refused);
    for (const garbage of ['x', 'x.y', 'x.y.z', `${Buffer.from(boss.certificate).toString('base64')}.AAAA`])
      expect(await client.call('POST', registerPath, body, garbage)).toMatchObject(refused);
    expect(await client.call('POST', registerPath, body)).toMatchObject({
      status: 401,
      errors: [{ code: 2 }],
    });
    await registered();
  });

  it('only registrars can register identities, and only within their own permissions', async () => {
    const forbidden = { status: 403, errors: [{ code: 71, message: 'Authorization failure' }] };
    const user = await enrol(id, await registered());
    expect(await client.signed(registerPath, user, { id: 'x' })).toMatchObject(forbidden);

    id = `${id}b`;
    const attrs = [
      { name: 'hf.Registrar.Roles', value: 'client' },
      { name: 'hf.Registrar.Attributes', value: 'team.*,hf.Revoker' },
    ];
    const small = await enrol(id, await registered({ affiliation: 'org1', attrs }));
    for (const [index, body] of [
      { type: 'peer' },
      { affiliation: '.' },
      { affiliation: 'nowhere' },
      { attrs: [{ name: 'other', value: 'x' }] },
      { attrs: [{ name: 'hf.Revoker', value: 'true' }] },
      { attrs: [{ name: 'hf.Unknown', value: 'x' }] },
    ].entries())
      expect(await client.signed(registerPath, small, { id: `${id}-${index}`, ...body })).toMatchObject(
        forbidden,
      );
    const given = { id: `${id}-good`, affiliation: 'org1.sales', attrs: [{ name: 'team.a', value: 'x' }] };
    expect(await client.signed(registerPath, small, given)).toMatchObject({ status: 201 });
  });
});

describe('re-enrollment', () => {
  it('re-enrollment certifies a new key and does not count as an enrollment', async () => {
    const first = await enrol(id, await registered({ max_enrollments: 1 }));
    for (let times = 0; times < 2; times++) {
      const { pem, key } = await certificateRequest(id);
      const answer = await client.signed(reenrollPath, first, { certificate_request: pem });
      expect(answer.status).toBe(201);
      expect(new X509Certificate(certificateOf(answer)).checkPrivateKey(key)).toBe(true);
    }
    const { pem } = await certificateRequest('other');
    expect(await client.signed(reenrollPath, first, { certificate_request: pem })).toMatchObject({
      ...{ status: 403, errors: [{ code: 77 }] },
    });
  });

  it('re-enrollment with the profile tls issues a TLS certificate', async () => {
    const who = await enrol(id, await registered());
    const { pem } = await certificateRequest(id);
    const body = { certificate_request: pem, profile: 'tls', hosts: ['host.test', '127.0.0.1'] };
    const certificate = new X509Certificate(certificateOf(await client.signed(reenrollPath, who, body)));
    expect(certificate.subjectAltName).toBe('DNS:host.test, IP Address:127.0.0.1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  });
});

describe('revocation', () => {
  it('revoking an identity revokes its certificates and returns a revocation list', async () => {
    const secret = await registered();
    const who = await enrol(id, secret);
    const answer = await client.signed(revokePath, boss, { id, gencrl: true });
    const serial = new X509Certificate(who.certificate).serialNumber.toLowerCase().replace(/^0+/, '');
    expect(answer).toMatchObject({ status: 200, result: { RevokedCerts: [{ Serial: serial }] } });
    const list = new x509.X509Crl(Buffer.from(answer.result.CRL, 'base64').toString());
    expect(await list.verify({ publicKey: new x509.X509Certificate(root.certificate) })).toBe(true);
    expect(list.entries.map((one) => one.serialNumber.replace(/^0+/, ''))).toContain(serial);

    const { pem } = await certificateRequest(id);
    const refused = { status: 401, errors: [{ code: 20 }] };
    expect(await client.signed(reenrollPath, who, { certificate_request: pem })).toMatchObject(refused);
    expect(await client.enroll(id, secret, { certificate_request: pem })).toMatchObject(refused);
  });

  it('a certificate can be revoked by its owner or a registrar, but only once', async () => {
    const secret = await registered();
    const who = await enrol(id, secret);
    const certificate = new x509.X509Certificate(who.certificate);
    const aki = certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId ?? '';
    const body = { serial: certificate.serialNumber, aki };
    id = `${id}b`;
    const other = await enrol(id, await registered());
    const errors = async (caller: Enrolled, request: object) =>
      (await client.signed(revokePath, caller, request)).errors.map((one) => one.code);
    expect(await errors(other, body)).toEqual([71]);
    expect(await errors(boss, { ...body, id: 'somebody' })).toEqual([9]);
    expect(await errors(boss, { ...body, serial: 'abc' })).toEqual([8]);
    expect(await errors(boss, {})).toEqual([15]);
    expect(await errors(boss, { id: 'nobody' })).toEqual([10]);
    expect(await errors(who, body)).toEqual([]);
    expect(await errors(boss, body)).toEqual([66]);
  });
});

describe('persistence of a CA', () => {
  it('a CA keeps its identities across a restart and stores no secret in plain text', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ledger-ops-ca-'));
    try {
      const first = await startCertificateAuthority({ ...options, directory });
      const before = createCaClient(first);
      const request = await certificateRequest(registrar.enrollmentId);
      const body = { certificate_request: request.pem };
      const answer = await before.enroll(registrar.enrollmentId, registrar.enrollmentSecret, body);
      const who = { certificate: certificateOf(answer), key: request.key };
      await before.signed(registerPath, who, { id: 'kept', secret: 'kept secret', max_enrollments: 1 });
      await before.close();
      await first.close();
      const file = await readFile(join(directory, 'fabric-ca.sqlite'));
      expect(file.includes('kept')).toBe(true);
      expect(file.includes('kept secret')).toBe(false);
      expect(file.includes(registrar.enrollmentSecret)).toBe(false);

      const second = await startCertificateAuthority({ ...options, directory });
      const after = createCaClient(second);
      const kept = await certificateRequest('kept');
      const enrolled = await after.enroll('kept', 'kept secret', { certificate_request: kept.pem });
      const again = await after.enroll('kept', 'kept secret', { certificate_request: kept.pem });
      const taken = await after.signed(registerPath, who, { id: 'kept' });
      await after.close();
      await second.close();
      expect([enrolled.status, again.status, taken.status]).toEqual([201, 401, 409]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

function basic(who: string, secret: string): string {
  return `Basic ${Buffer.from(`${who}:${secret}`).toString('base64')}`;
}
