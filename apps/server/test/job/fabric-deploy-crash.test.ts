// The server killed between the steps of a deployment: it ends once, and nothing of it happens twice.
import type { FaultPoint } from '@ledger-ops/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { crashes } from '../../../../testing/faults.ts';
import { valid } from './fabric-client.ts';
import { type Consortium, openConsortium, type PackedChaincode } from './fabric-consortium.ts';
import { chaincodeGlo, type FabricWallet, sendGlo } from './fabric-ledger.ts';
import { type Action, createProduct, type Fault, type Product } from './product.ts';

/** Nothing else is under way, so that the nth crossing of a point is that of the nth step. */
const steps = { install: 1, approve: 2, commit: 3 };
const matrix: [point: FaultPoint, step: keyof typeof steps][] = [
  ['sign:after-commit', 'install'],
  ['submit:after', 'install'],
  ['settle:after-commit', 'install'],
  ['sign:after-commit', 'approve'],
  ['settle:before-commit', 'approve'],
  ['submit:after', 'commit'],
  ['settle:before-commit', 'commit'],
];
const agreed = crashes(matrix, () => false);
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

/** Deploys with the server, which dies at the point; the next one goes on with the action that is answered. */
async function sentBroken(
  fault: Fault,
  wallet: FabricWallet,
  { glo, packageId }: PackedChaincode,
): Promise<string> {
  await product.breakAt(fault);
  // It may die before it answers; asked again, it has the same answer.
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

/** The same, and waits for its end. */
async function deployedBroken(...given: Parameters<typeof sentBroken>): Promise<Action> {
  const [end] = await product.ended([await sentBroken(...given)]);
  if (end === undefined) throw new Error('The deployment is not there.');
  return end;
}

/** How many transactions took effect. */
async function countValid(): Promise<number> {
  const codes = await consortium.client.transactions();
  return [...codes.values()].filter((code) => code === valid).length;
}

/** Steps of the action in its wallet's timeline, from its beginning. */
async function recordsOf({ walletId }: FabricWallet, { actionId }: Action): Promise<string[]> {
  const { body } = await product.call<{ action: string; targetObject: string }[]>(
    'GET',
    `/v1/timeline/resources/${walletId}`,
  );
  return body.filter(({ targetObject }) => targetObject === actionId).map(({ action }) => action);
}

/** It is committed once, and answers what it was told. */
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

describe.each(agreed.length > 0 ? ['agreed to'] : [])(
  'the server killed in a deployment that the other organization %s',
  () => {
    const packed = new Map<string, PackedChaincode>();
    /** Its approvals stand, and its deployments have ended by their deadline: they take no part in what follows. */
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
      '%s of its %s step: one definition is committed',
      async (point, step) => {
        const name = nameOf(point, step);
        const one = packed.get(name);
        if (one === undefined) throw new Error(`${name} is not packed.`);
        const own = consortium.adminAt(0);
        const before = await countValid();

        const end = await deployedBroken({ point, nth: steps[step] }, own, one);
        // The approval and the commit; an installation is no transaction.
        expect(await countValid()).toBe(before + 2);
        const once = ['accept', 'sign', 'continue', 'sign', 'continue', 'sign', 'succeed'];
        expect(await recordsOf(own, end)).toEqual(once);
        await expectCommitted(end, name, one);
      },
      300_000,
    );
  },
);

test('settle:after-commit of the approve step without the other organization: its approval is waited for, and completes it', async () => {
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
  // Another approval, and one commit, by whichever comes first.
  expect(await countValid()).toBe(before + 3);
  expect(await consortium.client.definition(name)).toEqual({ sequence: 1, version: '1.0' });
}, 300_000);
