import type { ResolvedOperation } from '@ledger-ops/adapter';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { ContractPlace, ContractReader } from '@ledger-ops/registry';
import { type Ledgers, problemFrom } from '@ledger-ops/runtime';

/** Reads contracts through the plugin of the named ledger or, without a ledger, through a plugin of the technology. */
export function createContractReader(ledgers: Pick<Ledgers, 'open' | 'reader'>): ContractReader {
  async function definition({ ledgerUid, technology, projectUid }: ContractPlace) {
    if (ledgerUid === undefined) return await ledgers.reader(technology, projectUid);
    return (await ledgers.open(ledgerUid, { projectUid })).definition;
  }

  return {
    async readInterface(place, text) {
      const adapter = await definition(place);
      return (await adapter.readInterface(text).catch(refuse)).interface;
    },
    async constructorInputs(place, text) {
      const adapter = await definition(place);
      return (await adapter.readInterface(text).catch(refuse)).constructorInputs ?? null;
    },
    async describe({ ledgerUid, projectUid }, address) {
      const { session, definition } = await ledgers.open(ledgerUid, { projectUid });
      if (definition.capabilities.describesContracts !== true) return undefined;
      return await session.describeContract?.(address).catch(refuse);
    },
    async normaliseAddress({ ledgerUid, projectUid }, address) {
      const { session } = await ledgers.open(ledgerUid, { projectUid });
      return await session.normaliseAddress(address).catch(refuse);
    },
    async demandContract({ ledgerUid, technology, projectUid }, address) {
      const { session } = await ledgers.open(ledgerUid, { projectUid });
      const operation = emptyCall(technology, address);
      // Ignores all problems except `unknown-contract`: the call is never executed, and the ledger may be
      // unreachable.
      const failure = await session.check({ wallet: { address }, operation }).then(() => null, problemFrom);
      if (failure?.problem !== 'unknown-contract') return;
      const errors = [{ pointer: '', detail: 'is not the address of a contract on the ledger' }];
      throw new Problem('unknown-contract', failure.message, { errors });
    },
  };
}

/** Returns a call that only requires the contract to exist. */
function emptyCall(technology: string, address: string): ResolvedOperation {
  return {
    type: 'contract_call',
    contract: { address },
    data: '0x',
    value: 0n,
    native: { technology, content: {} },
  };
}

/** Converts a plugin's rejection of an interface. All issues point at the interface. */
function refuse(error: unknown): never {
  throw atText(problemFrom(error, () => ''));
}

function atText(problem: Problem): Problem {
  return problem.problem === 'invalid-request' && problem.errors.length === 0
    ? invalidRequest([{ pointer: '', detail: problem.message }])
    : problem;
}
