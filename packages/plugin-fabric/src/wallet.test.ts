import type { JsonObject, Round, WalletIdentity } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { certificateOf, pointIn } from '../test/certificate-of.ts';
import type { NewIdentity } from './ca/enrollment.ts';
import type { Msps } from './msp/msp.ts';
import { readProperties } from './properties.ts';
import { advanceWallet, createWallet, renewWallet, type WalletContext } from './wallet.ts';

/** Returns a session with a registrar, and a CA that answers every request with the same certificate. */
function contextOf(
  certificate: string,
  more: JsonObject = {},
  registered: NewIdentity[] = [],
): WalletContext {
  const enrollment: WalletContext['enrollment'] = {
    enroll: async () => certificate,
    registerAndEnroll: async (identity) => {
      registered.push(identity);
      return certificate;
    },
    renewal: () => ({ body: '{}', message: new Uint8Array() }),
    reenroll: async () => certificate,
  };
  const pass = async () => undefined;
  const msps: Msps = { requireValid: pass, requireAccepted: pass, requireMembers: pass };
  const properties = readProperties({
    ledgerId: 'test',
    technology: 'hyperledger-fabric',
    properties: {
      channel: 'ledger',
      msp_id: 'Org1MSP',
      observer_certificate: '-----BEGIN CERTIFICATE-----',
      observer_private_key: '-----BEGIN PRIVATE KEY-----',
      ca_url: 'https://ca.example',
      ca_registrar_id: 'registrar',
      ca_registrar_secret: 'a secret',
      ...more,
    },
    nodes: [],
  });
  return { msps, enrollment, properties, now: Date.now };
}

async function sign(round: Round<WalletIdentity>, context: WalletContext): Promise<Round<WalletIdentity>> {
  if (round.done) throw new Error('The round requests no signature.');
  return advanceWallet({ state: round.state, signatures: [new Uint8Array(64).fill(1)] }, context);
}

test('creating a wallet requires a certificate of the requested key and name', async () => {
  const own = await certificateOf('ann');
  const request = {
    walletId: 'w',
    publicKey: pointIn(own),
    parameters: { enrollmentId: 'ann', enrollmentSecret: 'secret' },
  };
  const fine = contextOf(own);
  expect(await sign(await createWallet(request, fine), fine)).toMatchObject({
    done: true,
    result: { address: 'Org1MSP/ann' },
  });
  const strange = contextOf(await certificateOf('ann'));
  await expect(createWallet(request, strange).then((round) => sign(round, strange))).rejects.toMatchObject({
    code: 'certificate-invalid',
  });
  const named = { ...request, parameters: { ...request.parameters, enrollmentId: 'bob' } };
  await expect(createWallet(named, fine).then((round) => sign(round, fine))).rejects.toMatchObject({
    code: 'certificate-invalid',
  });
});

test('renewing a wallet requires a certificate of the same key and name', async () => {
  const own = await certificateOf('ann');
  const wallet = { address: 'Org1MSP/ann', material: { certificate: own, mspId: 'Org1MSP' } };
  const renew = async (answered: string) => {
    const context = contextOf(answered);
    return sign(await sign(renewWallet(wallet, context), context), context);
  };
  expect(await renew(own)).toMatchObject({ done: true, result: { address: 'Org1MSP/ann' } });
  await expect(renew(await certificateOf('ann'))).rejects.toMatchObject({ code: 'certificate-invalid' });
});

test('the creator of a wallet can choose only attributes and affiliations that the ledger allows', async () => {
  const own = await certificateOf('ann');
  const make = async (parameters: Record<string, string>, properties: JsonObject = {}) => {
    const registered: NewIdentity[] = [];
    const context = contextOf(own, properties, registered);
    const all = { enrollmentId: 'ann', ...parameters };
    await sign(
      await createWallet({ walletId: 'w', publicKey: pointIn(own), parameters: all }, context),
      context,
    );
    return registered[0];
  };
  const refusedAt = (name: string) =>
    expect.objectContaining({
      problem: expect.objectContaining({
        issues: [expect.objectContaining({ pointer: `/parameters/${name}` })],
      }),
    });
  expect(await make({})).toEqual({
    id: 'ann',
    publicKey: pointIn(own),
    attributes: {},
    affiliation: undefined,
  });
  expect(await make({ attributes: '{}' })).toMatchObject({ attributes: {} });
  await expect(make({ attributes: '{"role":"admin"}' })).rejects.toThrow(refusedAt('attributes'));
  await expect(make({ affiliation: 'org1' })).rejects.toThrow(refusedAt('affiliation'));
  const allowing = { ca_attributes: ['level'], ca_affiliations: ['org1.sales'] };
  const chosen = { attributes: '{"level":"3"}', affiliation: 'org1.sales' };
  expect(await make(chosen, allowing)).toMatchObject({
    attributes: { level: '3' },
    affiliation: 'org1.sales',
  });
  for (const affiliation of ['org1', 'org1.sales.eu', '.', '']) {
    await expect(make({ affiliation }, allowing)).rejects.toThrow(refusedAt('affiliation'));
  }
  await expect(make({ attributes: '{"level":"3","role":"x"}' }, allowing)).rejects.toThrow(
    refusedAt('attributes'),
  );
});

test("does not enroll a wallet under the registrar's name, because wrong secrets would lock the registrar at the CA", async () => {
  const own = await certificateOf('registrar');
  const request = { walletId: 'registrar', publicKey: pointIn(own), parameters: {} };
  for (const parameters of [{}, { enrollmentId: 'registrar' }, { enrollmentId: 'Registrar ' }])
    await expect(createWallet({ ...request, parameters }, contextOf(own))).rejects.toMatchObject({
      problem: { code: 'invalid-argument', issues: [{ pointer: '/parameters/enrollmentId' }] },
    });
});

test('the error names the parameters that contradict an imported certificate', async () => {
  const [certificate, other] = [await certificateOf('ann'), await certificateOf('ann')];
  const make = (parameters: Record<string, string>) =>
    createWallet({ walletId: 'ann', publicKey: pointIn(certificate), parameters }, contextOf(certificate));
  expect(await make({ certificate, mspId: 'Org1MSP' })).toMatchObject({ done: true });
  const refused: [Record<string, string>, string[], string][] = [
    [{ enrollmentId: 'ann' }, ['enrollmentId'], 'cannot be combined'],
    [{ affiliation: 'org1', attributes: '{}' }, ['affiliation', 'attributes'], 'cannot be combined'],
    [{ certificate: other }, ['privateKey'], 'is not the key of the certificate'],
    [{ certificate: 's3cret' }, ['certificate'], 'must be an X.509 certificate of a P-256 key, in PEM'],
  ];
  for (const [parameters, names, detail] of refused) {
    await expect(make({ certificate, ...parameters })).rejects.toMatchObject({
      problem: {
        code: 'invalid-argument',
        issues: names.map((name) => ({
          pointer: `/parameters/${name}`,
          detail: expect.stringContaining(detail),
        })),
      },
    });
  }
});
