import type { Auth } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { addContract, addGroup, readContract, readContracts, readGroup, readGroups } from './contracts.ts';
import { createLedgerCache } from './ledger-cache.ts';
import { addLedger, addNode, changeLedger, dropNode } from './ledgers.ts';
import {
  addSpecification,
  addTemplate,
  readSpecification,
  readSpecifications,
  readTemplate,
  readTemplates,
} from './templates.ts';
import type { Registry } from './types.ts';

/** What the registry works with. */
export interface RegistryOptions {
  store: Store;
  auth: Pick<Auth, 'registerResource' | 'removeResource'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Makes the registry. It holds nothing that has to be closed. */
export function createRegistry({ store, auth, now }: RegistryOptions): Registry {
  const context = { auth, now };
  const ledgers = createLedgerCache(store);
  const { read } = store;
  return {
    createLedger: (tx, input) => addLedger(tx, input, context),
    updateLedger: (tx, uid, change) => changeLedger(tx, uid, change, context),
    addNode: (tx, ledgerUid, input) => addNode(tx, ledgerUid, input, context),
    removeNode: (tx, nodeUid) => dropNode(tx, nodeUid, context),
    ledgerByUid: async (uid) => (await ledgers()).byUid.get(uid) ?? null,
    ledgerByLedgerId: async (ledgerId) => (await ledgers()).byLedgerId.get(ledgerId) ?? null,
    listLedgers: async (own) =>
      (await ledgers()).all.filter(({ projectUid }) => projectUid === null || projectUid === own),

    createGroup: (tx, input) => addGroup(tx, input, context),
    group: (groupId) => readGroup(read, groupId),
    listGroups: (projectUid, query) => readGroups(read, projectUid, query),
    createContract: (tx, input) => addContract(tx, input, context),
    contract: (contractId) => readContract(read, contractId),
    listContracts: (groupId, query) => readContracts(read, groupId, query),

    createTemplate: (tx, input) => addTemplate(tx, input, context),
    template: (projectUid, templateId) => readTemplate(read, projectUid, templateId),
    listTemplates: (projectUid, query) => readTemplates(read, projectUid, query),
    createSpecification: (tx, input) => addSpecification(tx, input, context),
    specification: (templateUid, tag) => readSpecification(read, templateUid, tag),
    listSpecifications: (templateUid) => readSpecifications(read, templateUid),
  };
}
