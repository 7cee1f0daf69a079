import { invalidRequest, type Problem } from '@ledger-ops/base';
import type { ContractPlace, ContractReader } from '@ledger-ops/registry';
import { type Ledgers, problemFrom } from '@ledger-ops/runtime';

/** What plugins know of contracts: the ledger's own plugin where a ledger is named, else the technology's. */
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
    async normaliseAddress({ ledgerUid, projectUid }, address) {
      const { session } = await ledgers.open(ledgerUid, { projectUid });
      return await session.normaliseAddress(address).catch(refuse);
    },
  };
}

/** What a plugin says of a text that it reads: wherever in it, it stands at the text. */
function refuse(error: unknown): never {
  throw atText(problemFrom(error, () => ''));
}

function atText(problem: Problem): Problem {
  return problem.problem === 'invalid-request' && problem.errors.length === 0
    ? invalidRequest([{ pointer: '', detail: problem.message }])
    : problem;
}
