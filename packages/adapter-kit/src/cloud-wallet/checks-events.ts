import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ContractEvent, type ContractEvents, faultOfEvents } from '@ledger-ops/adapter';
import { eventPageMessage } from '@ledger-ops/adapter/cloud-wallet';

import { all, type CloudWalletCheck, funds, hook } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import { assertRefusal, type RemoteStage, read } from './stage.ts';
import { conformanceTiming } from './timing.ts';

const declared = ({ plugin }: RemoteStage) =>
  plugin.capabilities.contractEvents === true ? undefined : "the plugin does not declare 'contractEvents'";
const emitting = ({ harness }: RemoteStage) =>
  harness.samples.emitting === undefined ? "the harness has no sample 'emitting'" : undefined;
const executions = 3;

type Emitting = NonNullable<CloudWalletHarness['samples']['emitting']>;

/** Checks about contract events, for plugins that declare `contractEvents`. */
export const eventChecks: readonly CloudWalletCheck[] = [
  {
    name: 'each event of a contract is returned once, in the order of the ledger, whatever the page size',
    power: 'contractEvents',
    missing: all(declared, all(emitting, funds)),
    async run(stage) {
      const { start, locators, told } = await tell(stage);
      const { event } = sampleOf(stage);
      assert.deepStrictEqual(
        told.map(({ name, args }) => ({ ...(name && { name }), ...(args && { args }) })),
        locators.map(() => event),
        'the page does not contain one event per execution, decoded with the interface',
      );
      assert.deepStrictEqual(
        told.map(({ txId }) => txId),
        locators,
        'the events are not listed with their transactions, in the order of the ledger',
      );
      const single = await readAll(stage, start, executions, 1);
      assert.deepStrictEqual(
        single,
        told,
        'reading one event per page does not return the same events with the same ids',
      );
    },
  },
  {
    name: 'after a crash, reading from the same position returns the same events with the same ids',
    power: 'contractEvents',
    missing: all(declared, all(emitting, all(funds, hook('crash')))),
    async run(stage) {
      const { start, told } = await tell(stage);
      const first = await readPage(stage, { after: start, limit: 1 });
      const moved = await stage.harness.hooks?.crash?.();
      if (moved !== undefined) stage.move(moved.url);
      const rest = await readAll(stage, first.after, told.length - first.events.length, 1);
      assert.deepStrictEqual([...first.events, ...rest], told);
    },
  },
  {
    name: 'reading the events of a contract returns no events of other contracts',
    power: 'contractEvents',
    missing: all(declared, all(emitting, all(funds, silent))),
    async run(stage) {
      const { start, told } = await tell(stage);
      const contractAddress = sampleOf(stage).silentAddress ?? '';
      const last = told.at(-1)?.height ?? 0;
      for (let after: ContractEvents['after'] | null = start, pages = 0; pages < 100; pages += 1) {
        const page: ContractEvents = await readPage(stage, { after, limit: 100, contractAddress });
        assert.deepStrictEqual(page.events, [], `events are returned for ${contractAddress}`);
        if (!page.more && page.newest >= last) return;
        after = page.after;
      }
      throw new assert.AssertionError({ message: `reading stopped before block ${last}` });
    },
  },
  {
    name: 'reading events of an unknown ledger, or from an invalid position, is rejected',
    power: 'contractEvents',
    missing: declared,
    async run(stage) {
      const body = { ledgerId: stage.harness.ledgerId, contractAddress: 'none', after: null, limit: 1 };
      const refused = async (change: object, statuses: number[], what: string) =>
        assertRefusal(await stage.request('POST', '/events', { ...body, ...change }), statuses, what);
      await refused({ ledgerId: `no-${randomUUID()}` }, [404], 'an unknown ledger');
      await refused({ after: { height: -1 } }, [400], 'a position before the first block');
      await refused({ limit: 0 }, [400], 'a page with a limit of zero');
    },
  },
  {
    name: "a plugin without the capability 'contractEvents' rejects readEvents",
    missing: (stage) => (declared(stage) === undefined ? "the plugin declares 'contractEvents'" : undefined),
    async run(stage) {
      assertRefusal(await stage.request('POST', '/events', {}), [404, 405, 422], 'reading events');
    },
  },
];

function sampleOf({ harness }: RemoteStage): Emitting {
  assert.ok(harness.samples.emitting !== undefined);
  return harness.samples.emitting;
}

function silent({ harness }: RemoteStage): string | undefined {
  return harness.samples.emitting?.silentAddress === undefined
    ? "the sample 'emitting' has no silentAddress"
    : undefined;
}

/** Makes the sample contract emit events. */
async function tell(stage: RemoteStage) {
  const { after: start } = await readPage(stage, { after: null, limit: 1 });
  const wallet = await stage.fundedWallet();
  const locators: string[] = [];
  for (let done = 0; done < executions; done += 1) {
    const { txId } = await stage.send(stage.sending(wallet, sampleOf(stage).operation));
    const { status, details, problem } = await stage.settled(txId);
    assert.equal(status, 'SUCCEEDED', `it FAILED: ${JSON.stringify(problem)}`);
    locators.push(details?.locator ?? txId);
  }
  return { start, locators, told: await readAll(stage, start, executions, 100) };
}

/**
 * Reads pages until the expected number of events has arrived. Waits until the blocks of the events have
 * reached the confirmation depth.
 */
async function readAll(
  stage: RemoteStage,
  start: ContractEvents['after'],
  count: number,
  limit: number,
): Promise<ContractEvent[]> {
  const until = Date.now() + (stage.harness.patience ?? conformanceTiming.patience);
  const events: ContractEvent[] = [];
  for (let after = start; ; ) {
    const page = await readPage(stage, { after, limit });
    events.push(...page.events);
    after = page.after;
    if (!page.more && events.length >= count) return events;
    assert.ok(Date.now() < until, `only ${events.length} of ${count} events are returned`);
    if (!page.more) await delay(conformanceTiming.poll);
  }
}

/** Reads a page and checks it for internal consistency. */
async function readPage(
  stage: RemoteStage,
  {
    contractAddress = sampleOf(stage).contractAddress,
    ...asked
  }: { after: ContractEvents['after'] | null; limit: number; contractAddress?: string },
): Promise<ContractEvents> {
  const { contractInterface } = sampleOf(stage).operation;
  const body = { ledgerId: stage.harness.ledgerId, contractAddress, contractInterface, ...asked };
  const answer = await stage.request('POST', '/events', body);
  const { requests: _, ...page } = read(eventPageMessage, answer, 200, 'readEvents');
  const faulty = faultOfEvents(asked, page);
  assert.equal(faulty, undefined, `readEvents returned ${faulty}`);
  assert.notEqual(page.lost, true, 'readEvents reports that the block at the position was removed');
  return page;
}
