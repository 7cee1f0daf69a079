// The schemas of answers must accept all values that the contract's types allow, with and without each
// optional member.
import type {
  AccountTransactions,
  AdapterProblem,
  ChainIdentity,
  Checked,
  ContractEvent,
  Emulated,
  Estimated,
  Inspected,
  LookupResult,
  Outcome,
  Prepared,
  Replaced,
  Submitted,
} from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import * as schemas from '../src/schemas.ts';

const rounds = schemas.roundSchemas('secp256k1');

/**
 * True only if the schema accepts every value of the type. A member that the schema requires must not be
 * optional in the type.
 */
type Takes<Answer, Schema extends z.ZodType> = [Answer] extends [z.input<Schema>] ? true : false;

/** A line does not compile if its schema requires more than the contract. */
const takesAll: {
  problem: Takes<AdapterProblem, typeof schemas.problem>;
  chainIdentity: Takes<ChainIdentity, typeof schemas.chainIdentity>;
  checked: Takes<Checked, typeof schemas.checked>;
  estimated: Takes<Estimated, typeof schemas.estimated>;
  prepared: Takes<Prepared, typeof rounds.prepared>;
  replaced: Takes<Replaced, typeof rounds.replaced>;
  emulated: Takes<Emulated, typeof schemas.emulated>;
  inspected: Takes<Inspected, typeof schemas.inspected>;
  submitted: Takes<Submitted, typeof schemas.submitted>;
  outcome: Takes<Outcome, typeof schemas.outcome>;
  contractEvent: Takes<ContractEvent, typeof schemas.contractEvent>;
  lookedUp: Takes<LookupResult | null, typeof schemas.lookedUp>;
  accountTransactions: Takes<AccountTransactions, typeof schemas.accountTransactions>;
  signersFound: Takes<string[] | null, typeof schemas.signersFound>;
} = {
  ...{ problem: true, chainIdentity: true, checked: true, estimated: true, prepared: true, replaced: true },
  ...{ emulated: true, inspected: true, submitted: true, outcome: true, contractEvent: true, lookedUp: true },
  ...{ accountTransactions: true, signersFound: true },
};

const block = { height: 1, blockHash: '0x01' };
const problem: AdapterProblem = { code: 'unavailable', detail: 'Not now.' };
const round = {
  done: false as const,
  requests: [{ curve: 'secp256k1' as const, digest: new Uint8Array(32) }],
};

/** Answers without any optional member. */
const least: { [Name in keyof typeof takesAll]: readonly unknown[] } = {
  problem: [problem] satisfies AdapterProblem[],
  chainIdentity: [{ id: '1', genesis: '0x' }] satisfies ChainIdentity[],
  checked: [{ plan: {}, recipients: [], readiness: 'ready', cost: 0n }] satisfies Checked[],
  estimated: [
    { status: 'ready', plan: {} },
    { status: 'wait', problem },
    { status: 'failed', problem },
  ] satisfies Estimated[],
  prepared: [
    { status: 'prepared', attempts: [{ kind: 'main', round: { ...round, state: null } }] },
    { status: 'failed', problem },
  ] satisfies Prepared[],
  replaced: [
    { status: 'prepared', attempt: { kind: 'noop', round: { ...round, state: null } } },
    { status: 'enough' },
    { status: 'wait', problem },
  ] satisfies Replaced[],
  emulated: [{ result: null }] satisfies Emulated[],
  inspected: [{ status: 'unknown' }] satisfies Inspected[],
  submitted: [{ txId: '0x', status: 'accepted' }] satisfies Submitted[],
  outcome: [
    { txId: '0x', status: 'succeeded', ...block },
    { txId: '0x', status: 'failed', ...block, problem },
    { txId: '0x', status: 'continue', ...block, plan: {}, detail: 'Next.' },
    { txId: '0x', status: 'expired', ...block },
    { txId: '0x', status: 'superseded', claim: 'coin', ...block },
  ] satisfies Outcome[],
  contractEvent: [{ id: '1', ...block, txId: '0x', raw: {} }] satisfies ContractEvent[],
  lookedUp: [{ txId: '0x', status: 'PENDING' }, null] satisfies (LookupResult | null)[],
  accountTransactions: [{ txIds: [], head: 0, completeTo: 0 }] satisfies AccountTransactions[],
  signersFound: [['a'], [], null] satisfies (string[] | null)[],
};

const schemaOf = { ...schemas, ...rounds, emulated: schemas.emulated };

for (const [name, answers] of Object.entries(least)) {
  test(`accepts an answer with only the members that the adapter interface requires: ${name}`, () => {
    const schema = Object.entries(schemaOf).find(([one]) => one === name)?.[1];
    for (const answer of answers) {
      expect(schema).toHaveProperty('safeParse');
      // The schema was found by its name, so its type is unknown.
      const { error } = (schema as z.ZodType).safeParse(answer);
      expect(error?.issues).toBeUndefined();
    }
  });
}

test('drops the content of an event that is too long, but keeps the event', () => {
  const event = { id: '1', ...block, txId: '0x', raw: { data: 'x'.repeat(100_000) }, args: { a: '1' } };
  expect(schemas.contractEvent.parse(event)).toEqual({
    ...{ id: '1', ...block, txId: '0x' },
    ...{ raw: {}, contentOmitted: true },
  });
});

test('limits the total size of a wallet’s aliases and material', () => {
  const accepts = (aliases: number, material: number) => {
    const identity = {
      address: 'a',
      aliases: Array.from({ length: aliases }, () => 'x'.repeat(4_000)),
      material: { certificate: 'x'.repeat(material) },
    };
    return rounds.wallet.safeParse({ done: true, result: identity }).success;
  };
  expect(accepts(1, 60_000)).toBe(true);
  expect(accepts(15, 3_000)).toBe(true);
  expect(accepts(15, 60_000)).toBe(false);
  expect(accepts(0, 70_000)).toBe(false);
  expect(accepts(256, 0)).toBe(false);
});
