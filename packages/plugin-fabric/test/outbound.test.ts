import type { LedgerConfig, OutboundPolicy, WalletIdentity } from '@ledger-ops/adapter';
import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { afterAll, describe, expect, test } from 'vitest';
import { openNetwork, skipped } from './network.ts';
import { ledgerOf, organizationAt } from './profile.ts';
import { freshKey, openSession, problemOf } from './stage.ts';

const network = await openNetwork();
const { profile } = network;
const { peers, ca } = organizationAt(profile);
afterAll(() => network.close());

const nothingOpen: OutboundPolicy = { open: [] };
const loopback: OutboundPolicy = { open: ['127.0.0.0/8', '::1'] };
const hosts = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns the ledger with one peer, whose certificate is validated against the host of its address. */
function ledgerWithPeerAt(host: string): LedgerConfig {
  const ledger = ledgerOf(profile);
  const [node] = ledger.nodes;
  if (node === undefined) throw new Error('The profile has no peer.');
  const { tls_server_name: _, ...properties } = node.properties ?? {};
  return { ...ledger, nodes: [{ ...node, uri: `grpcs://${host}:${new URL(node.uri).port}`, properties }] };
}

async function enrol(host: string, outbound: OutboundPolicy): Promise<WalletIdentity> {
  const ca_url = `https://${host}:${new URL(ca?.url ?? '').port}`;
  const { session } = await openSession({ ...ledgerOf(profile, { properties: { ca_url } }), outbound });
  const { publicKey, sign } = createTestSigner('p256');
  try {
    const parameters = { enrollmentId: freshKey() };
    let round = await session.createWallet({ walletId: freshKey(), publicKey, parameters });
    while (!round.done) {
      const signatures = round.requests.map(sign);
      round = await session.advanceWallet({ state: structuredClone(round.state), signatures });
    }
    return round.result;
  } finally {
    await session.close();
  }
}

const isLocal = peers.every(({ endpoint }) => /^(127\.0\.0\.1|localhost):/.test(endpoint));
describe.skipIf(skipped(isLocal ? undefined : 'the network is not on loopback', 'outbound policy'))(
  'a ledger whose outbound policy does not allow loopback',
  () => {
    test.each(hosts)(
      'does not connect to a peer at %s if the outbound policy blocks the address',
      async (host) => {
        const { session } = await openSession({ ...ledgerWithPeerAt(host), outbound: nothingOpen });
        expect(await problemOf(session.chain())).toMatchObject({
          code: 'not-opened',
          detail: expect.stringMatching(/Node \S+ cannot be used: /),
        });
        await session.close();
      },
    );

    const noCa = skipped(
      ca === undefined ? 'the profile has no CA' : undefined,
      'outbound policy for the CA',
    );
    test.skipIf(noCa).each(hosts)(
      'does not connect to a CA at %s if the outbound policy blocks the address',
      async (host) => {
        expect(await problemOf(enrol(host, nothingOpen))).toMatchObject({
          code: 'not-opened',
          detail: expect.stringContaining('The CA cannot be used: '),
        });
      },
    );

    test.skipIf(noCa)('connects to a CA by name if loopback is allowed', async () => {
      expect((await enrol('localhost', loopback)).address).toMatch(/^\S+\/k[0-9a-f]{32}$/);
    });

    test('connects to the address that the policy checked, and validates the certificate’s name', async () => {
      const open = async (host: string) => {
        const { session } = await openSession({ ...ledgerWithPeerAt(host), outbound: loopback });
        const chain = session.chain();
        return await chain.finally(() => session.close());
      };
      expect((await open('localhost')).id).toBe(`fabric:${profile.channel.replaceAll('.', '_')}`);
    });
  },
);
