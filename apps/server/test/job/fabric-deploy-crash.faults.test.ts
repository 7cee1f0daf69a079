// The server is killed between the steps of a deployment, which still completes once.
import type { FaultPoint } from '@ledger-ops/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { valid } from './fabric-client.ts';
import { type Consortium, openConsortium, type PackedChaincode } from './fabric-consortium.ts';
import { chaincodeGlo, type FabricWallet, sendGlo } from './fabric-ledger.ts';
import { type Action, createProduct, type Fault, type Product } from './product.ts';

/** Nothing else runs, so the nth crossing of a point belongs to the nth step. */
const steps = { install: 1, approve: 2, commit: 3 };
const agreed: [point: FaultPoint, step: keyof typeof steps][] = [
  ['sign:after-commit', 'install'],
  ['submit:after', 'install'],
  ['settle:after-commit', 'install'],
  ['sign:after-commit', 'approve'],
  ['settle:before-commit', 'approve'],
  ['submit:after', 'commit'],
  ['settle:before-commit', 'commit'],
];
const nameOf = (point: string, step: string) => `${step}-${point.replaceAll(/\W/g, '-')}`;

const product: Product = createProduct();
let consortium: Consortium;

beforeAll(async () => {
  consortium = await openConsortium(product);
}, 300_000);
afterAll(async () => {
  await product.stop();
  await consortium?.close();
});

/** Deploys with a server that is killed at the point. The next server continues the accepted action. */
async function sentBroken(
  fault: Fault,
  wallet: FabricWallet,
  { glo, packageId }: PackedChaincode,
): Promise<string> {
  await product.breakAt(fault);
  // The server may be killed before it responds. The retry gets the same response.
  const send = () => sendGlo(product, wallet, glo, {}, { 'Idempotency-Key': packageId });
  const id = await send().catch((error: unknown) => {
    if (error instanceof TypeError) return undefined;
    throw error;
  });
  await vi.waitFor(() => expect(product.isAlive()).toBe(false), { timeout: 30_000 });
  await product.start();
  const again = await send();
  expect(id ?? again).toBe(again);
  return again;
}

/** Deploys with a server that is killed at the point, and waits until the action completes. */
async function deployedBroken(...given: Parameters<typeof sentBroken>): Promise<Action> {
  const [end] = await product.ended([await sentBroken(...given)]);
  if (end === undefined) throw new Error('The deployment does not exist.');
  return end;
}

/** Returns the number of transactions that took effect. */
async function countValid(): Promise<number> {
  const codes = await consortium.client.transactions();
  return [...codes.values()].filter((code) => code === valid).length;
}

/** Steps of the action in its wallet's timeline, from the start. */
async function recordsOf({ walletId }: FabricWallet, { actionId }: Action): Promise<string[]> {
  const { body } = await product.call<{ action: string; targetObject: string }[]>(
    'GET',
    `/v1/timeline/resources/${walletId}`,
  );
  return body.filter(({ targetObject }) => targetObject === actionId).map(({ action }) => action);
}

/** Checks that the chaincode is committed once and can be called. */
async function expectCommitted(
  end: Action | undefined,
  name: string,
  packed: PackedChaincode,
): Promise<void> {
  const { client, member } = consortium;
  const { packageId } = packed;
  expect(end).toMatchObject({
    status: 'SUCCEEDED',
    contractAddress: `ledger/${name}`,
    details: { packageId, name, version: '1.0', sequence: 1 },
  });
  expect((await client.transactions()).get(String(end?.locator))).toBe(valid);
  expect(await client.definition(name)).toEqual({ sequence: 1, version: '1.0' });
  await packed.run();
  const create = chaincodeGlo(`ledger/${name}`, 'CreateAsset', ['apple', 'red', '1', 'me', '2']);
  const [called] = await product.ended([await sendGlo(product, member, create)]);
  expect(called).toMatchObject({ status: 'SUCCEEDED' });
  expect(JSON.parse(await client.evaluate(name, 'ReadAsset', 'apple'))).toMatchObject({ Color: 'red' });
}

describe('the server killed in a deployment that the other organization has approved', () => {
  const packed = new Map<string, PackedChaincode>();
  /**
   * Lets the other organization approve all packages, and waits until the deadlines of its deployments have passed, so
   * that they do not affect the tests.
   */
  beforeAll(async () => {
    const deadline = new Date(Date.now() + 15_000).toISOString();
    const agreements: string[] = [];
    for (const [point, step] of agreed) {
      const name = nameOf(point, step);
      const one = await consortium.pack(name);
      packed.set(name, one);
      agreements.push(await sendGlo(product, consortium.adminAt(1), one.glo, { deadline }));
    }
    for (const id of agreements) await product.waitsFor(id, 'Waiting for approvals of Org1MSP');
    for (const { problem } of await product.ended(agreements)) {
      expect(problem).toMatchObject({
        type: 'urn:ledger-ops:problem:deadline-passed',
        detail: expect.stringContaining('Waiting for approvals of Org1MSP'),
      });
    }
  }, 180_000);

  test.each(agreed)(
    'a deployment commits one definition although the server is killed at %s of the %s step',
    async (point, step) => {
      const name = nameOf(point, step);
      const one = packed.get(name);
      if (one === undefined) throw new Error(`${name} is not packed.`);
      const own = consortium.adminAt(0);
      const before = await countValid();

      const end = await deployedBroken({ point, nth: steps[step] }, own, one);
      // The approval and the commit. An installation is not a transaction.
      expect(await countValid()).toBe(before + 2);
      const once = ['accept', 'sign', 'continue', 'sign', 'continue', 'sign', 'succeed'];
      expect(await recordsOf(own, end)).toEqual(once);
      await expectCommitted(end, name, one);
    },
    300_000,
  );
});

test('a deployment whose server is killed after the approve step completes when the other organization approves it', async () => {
  const name = 'alone';
  const packed = await consortium.pack(name);
  const [own, other] = [consortium.adminAt(0), consortium.adminAt(1)];
  const before = await countValid();

  const id = await sentBroken({ point: 'settle:after-commit', nth: steps.approve }, own, packed);
  await product.waitsFor(id, 'Waiting for approvals of Org2MSP');
  expect(await countValid()).toBe(before + 1);
  expect(await consortium.client.definition(name)).toBeUndefined();

  const ends = await product.ended([id, await sendGlo(product, other, packed.glo)]);
  expect(ends.map(({ status, problem }) => ({ status, problem }))).toEqual([
    { status: 'SUCCEEDED', problem: undefined },
    { status: 'SUCCEEDED', problem: undefined },
  ]);
  // Three transactions: two approvals, and one commit by the first organization that has both.
  expect(await countValid()).toBe(before + 3);
  expect(await consortium.client.definition(name)).toEqual({ sequence: 1, version: '1.0' });
}, 300_000);
