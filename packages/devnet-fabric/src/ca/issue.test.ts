import { createPrivateKey, X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { attributesOid, createRoot, issueIdentity, issueTls } from './issue.ts';
import { x509 } from './x509.ts';

const root = await createRoot({ commonName: 'ca.org1', organization: 'org1' });

describe('certificates of a development organization', () => {
  it("issues a member certificate whose organizational unit is the member's role", async () => {
    const member = await issueIdentity(root, { commonName: 'peer0', role: 'peer', organization: 'org1' });
    const certificate = new X509Certificate(member.certificate);
    const issuer = new X509Certificate(root.certificate);
    expect(issuer.ca).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.subject).toBe('O=org1\nOU=peer\nCN=peer0');
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(member.privateKey))).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(+certificate.validFromDate).toBeGreaterThan(+issuer.validFromDate);
  });

  it('a certificate contains the key identifiers with which a peer builds certificate chains', async () => {
    const member = new x509.X509Certificate((await issueIdentity(root, { commonName: 'a' })).certificate);
    const issuer = new x509.X509Certificate(root.certificate);
    const ski = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
    expect(ski).toMatch(/^[0-9a-f]{40}$/);
    expect(member.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId).toBe(ski);
    expect(member.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId).toMatch(/^[0-9a-f]{40}$/);
  });

  it('a certificate contains its attributes in the extension that chaincode reads', async () => {
    const member = await issueIdentity(root, { commonName: 'a', attributes: { level: '3' } });
    const extension = new x509.X509Certificate(member.certificate).getExtension(attributesOid);
    expect(Buffer.from(extension?.value ?? new ArrayBuffer()).toString()).toBe('{"attrs":{"level":"3"}}');
  });

  it('issues expired certificates, but no certificate that is older than its root', async () => {
    const soon = Date.now() - 30 * 60_000;
    const notBefore = new Date(soon - 60_000);
    const expired = await issueIdentity(root, { commonName: 'a', notBefore, notAfter: new Date(soon) });
    expect(+new X509Certificate(expired.certificate).validToDate).toBeLessThan(Date.now());
    const tooOld = new Date(Date.now() - 24 * 3_600_000);
    await expect(issueIdentity(root, { commonName: 'a', notBefore: tooOld })).rejects.toThrow(RangeError);
  });

  it('issues TLS certificates for both servers and clients', async () => {
    const tls = await createRoot({ commonName: 'tlsca' });
    const server = await issueTls(tls, { commonName: 'peer0', hosts: ['peer0.example.com'] });
    const client = await issueTls(tls, { commonName: 'client' });
    const common = { ca: tls.certificate, rejectUnauthorized: true };
    const seen: string[] = [];
    const verified: boolean[] = [];
    const listener = createServer(
      { ...common, requestCert: true, cert: server.certificate, key: server.privateKey },
      (socket: TLSSocket) => {
        seen.push(socket.getPeerX509Certificate()?.subject ?? 'none');
        socket.end();
      },
    );
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    try {
      for (const servername of ['localhost', 'peer0.example.com']) {
        const socket = connect({
          ...common,
          ...{ host: '127.0.0.1', port: address.port, servername },
          ...{ cert: client.certificate, key: client.privateKey },
        });
        socket.once('secureConnect', () => {
          verified.push(socket.authorized);
          socket.resume();
        });
        await new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
      }
      expect(verified).toEqual([true, true]);
      expect(seen).toEqual(['CN=client', 'CN=client']);
    } finally {
      await new Promise((resolve) => listener.close(resolve));
    }
  });
});
