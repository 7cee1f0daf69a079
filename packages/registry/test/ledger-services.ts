import { randomBytes } from 'node:crypto';
import { createMasterKey, type Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { createRegistry } from '../src/create-registry.ts';
import { createLedgerNodes } from '../src/ledgers/ledger-nodes.ts';
import type { LedgerInput, NodeProbe } from '../src/ledgers/types.ts';
import { technologies } from './technologies.ts';
import { createWorld } from './world.ts';

export const firstPage = { page: 0, size: 20, sort: [] };

/**
 * Creates the services for ledgers, nodes and explorers. A probed node reports the value of `chain`, which
 * tests set.
 */
export async function createLedgerServices(store: Store) {
  const world = await createWorld(store);
  const { auth, project, other } = world;
  const masterKey = createMasterKey(randomBytes(32));
  const asked: Parameters<NodeProbe>[] = [];
  const chain = {
    id: '1337' as string | null,
    problem: null as Problem | null,
    networks: [] as string[],
    expected: undefined as string | undefined,
    /** Called while a node is probed. */
    meanwhile: undefined as (() => Promise<unknown>) | undefined,
  };
  let clock = 5_000;
  const now = () => {
    clock += 1;
    return clock;
  };
  const { ledgers, nodes, explorers } = createLedgerNodes({
    store,
    auth,
    now,
    masterKey,
    technologies,
    probe: async (...args) => {
      asked.push(args);
      const { meanwhile } = chain;
      chain.meanwhile = undefined;
      await meanwhile?.();
      if (chain.problem !== null) throw chain.problem;
      const network = chain.networks.shift();
      const { id, expected } = chain;
      return {
        chainId: network === undefined ? id : null,
        ...(network === undefined ? {} : { network }),
        ...(expected === undefined ? {} : { expected }),
      };
    },
  });
  const input: LedgerInput = {
    ledgerId: 'main',
    name: 'Main',
    technology: 'ethereum',
    properties: { chain_id: 1337, confirmations: 2 },
  };
  const me = await world.callerIn(project);
  return {
    ...world,
    ledgers,
    nodes,
    explorers,
    asked,
    chain,
    input,
    me,
    stranger: await world.callerIn(other),
    viewer: await world.callerIn(project, 'viewer'),
    admin: await world.deployer(),
    registry: createRegistry({ store, auth, now, masterKey }),
    add: (change: Partial<LedgerInput> = {}) => ledgers.create(me, { ...input, ...change }),
  };
}
