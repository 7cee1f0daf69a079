import type { ResolvedOperation } from '@ledger-ops/adapter';
import { sampleChaincodes } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped } from './network.ts';
import { userOf } from './profile.ts';
import { type Actor, callOf, enter, execute, fabric, problemOf } from './stage.ts';

const network = await openNetwork();
afterAll(() => network.close());

const reason = isDevnet ? undefined : 'a profile names no token chaincode';

describe.skipIf(skipped(reason, 'transfers'))('a transfer by a token chaincode', () => {
  let alice: Actor;
  const token = () => `${network.profile.channel}/token`;
  const call = (name: string, args: string[]) =>
    callOf(network.profile, { name, args }, { contract: { address: token() } });

  beforeAll(async () => {
    await network.devnet?.deployChaincode({ name: 'token', contract: sampleChaincodes.token });
    alice = await enter(network.profile, { properties: { transfer_contract: token() } });
    expect((await execute(alice, call('Initialize', ['Coins', 'C', '0']))).status).toBe('succeeded');
    expect((await execute(alice, call('Mint', ['1000']))).status).toBe('succeeded');
  });
  afterAll(async () => {
    await alice?.session.close();
  });

  test('a token transfer adds the amount to the balance of the recipient’s address', async () => {
    const bob = await enter(network.profile, { member: userOf(network.profile, 1), organization: 1 });
    const recipient = bob.wallet.address;
    const operation = { type: 'transfer', recipient, amount: 30n, native: fabric } as const;
    const checked = await alice.session.check({ wallet: alice.wallet, operation });
    expect(checked.recipients).toEqual([recipient]);
    expect(await execute(alice, operation)).toMatchObject({
      status: 'succeeded',
      details: { event: { name: 'Transfer' } },
    });
    const balance = await bob.session.emulate({ operation: call('BalanceOf', [recipient]) });
    expect(balance.result).toBe('30');
    await bob.session.close();
  });

  test('a transfer above the balance fails with the chaincode’s message', async () => {
    const operation = { type: 'transfer', recipient: 'Org2MSP/x', amount: 5000n, native: fabric } as const;
    expect(await problemOf(execute(alice, operation))).toMatchObject({ code: 'reverted', phase: 'prepare' });
  });

  test('a transfer requires the recipient’s address in the form that the token chaincode uses', async () => {
    const strict = await enter(network.profile, {
      properties: { transfer_contract: token(), transfer_recipient: 'x509' },
    });
    const to = (recipient: string) => ({ type: 'transfer', recipient, amount: 1n, native: fabric }) as const;
    const check = (recipient: string) =>
      strict.session.check({ wallet: strict.wallet, operation: to(recipient) });
    const other509 = 'x509::/CN=x::/CN=ca';
    const wrongForm = { code: 'unsupported-operation', issues: [{ pointer: '/recipient/resource' }] };
    expect(await problemOf(check('Org2MSP/x'))).toMatchObject(wrongForm);
    // The transfer is refused if the chaincode identifies accounts by addresses, because the tokens would be
    // lost.
    const loose = (operation: ResolvedOperation) => alice.session.check({ wallet: alice.wallet, operation });
    expect(await problemOf(loose(to(other509)))).toMatchObject(wrongForm);
    const aliased = { ...to(other509), recipientAliases: ['Org2MSP/x'] };
    expect((await loose(aliased)).plan).toMatchObject({ args: ['Org2MSP/x', '1'] });
    const [id = ''] = strict.wallet.aliases ?? [];
    expect((await check(strict.wallet.address)).plan).toMatchObject({ method: 'Transfer', args: [id, '1'] });
    const other = { ...to('Org2MSP/x'), recipientAliases: ['x509::/CN=x::/CN=ca'] };
    const named = await strict.session.check({ wallet: strict.wallet, operation: other });
    expect(named).toMatchObject({
      plan: { args: ['x509::/CN=x::/CN=ca', '1'] },
      recipients: ['Org2MSP/x'],
    });
    expect((await check('x509::/CN=x::/CN=ca')).recipients).toEqual(['x509::/CN=x::/CN=ca']);
    await strict.session.close();
  });
});

const own = isDevnet ? undefined : 'the test needs its own network';

describe.skipIf(skipped(own, 'binary results'))('binary results', () => {
  test('in results and receipts, binary data is an object with base64', async () => {
    await network.devnet?.deployChaincode({ name: 'raw', contract: sampleChaincodes.raw });
    const actor = await enter(network.profile);
    const contract = { address: `${network.profile.channel}/raw` };
    const operation = callOf(network.profile, { name: 'bytes', args: [] }, { contract });
    const expected = { base64: Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]).toString('base64') };
    expect((await actor.session.emulate({ operation })).result).toEqual(expected);
    const outcome = await execute(actor, operation);
    expect(outcome).toMatchObject({ status: 'succeeded', details: { result: expected } });
    expect(await actor.session.describeContract?.(contract.address)).toBeNull();
    await actor.session.close();
  });
});

describe.skipIf(skipped(own, 'mutual TLS'))('with mutual TLS', () => {
  test('with mutual TLS, peers accept a client with the right certificate and reject one without', async () => {
    const network = await openNetwork({ mutualTls: true });
    const actor = await enter(network.profile);
    const { organizations } = network.profile;
    expect(organizations[0]?.clientTls).toBeDefined();
    const put = callOf(network.profile, { name: 'Trials:Put', args: ['k', 'v'] });
    expect((await execute(actor, put)).status).toBe('succeeded');
    // Peers check to which connection a request for blocks belongs.
    expect(actor.log.filter(({ event }) => event === 'fabric.stream.ended')).toEqual([]);
    const [{ clientTls: _, ...first } = { clientTls: undefined }, ...rest] = organizations;
    const bare = { ...network.profile, organizations: [first, ...rest] as typeof organizations };
    expect(await problemOf(enter(bare))).toMatchObject({ code: 'unavailable' });
    await actor.session.close();
    await network.close();
  });
});
