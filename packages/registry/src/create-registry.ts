import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { addContract, addGroup, readContract, readGroup } from './contracts/contracts.ts';
import { registerDeployedContract } from './contracts/register-deployed.ts';
import { createExplorerLinks } from './ledgers/explorers/explorer-links.ts';
import { createLedgerCache } from './ledgers/ledger-cache.ts';
import { addLedger, addNode, changeLedger, dropNode } from './ledgers/ledgers.ts';
import { createSecretBox } from './ledgers/properties/secrets.ts';
import { addSpecification, addTemplate, readSpecification, readTemplate } from './templates/templates.ts';
import type { Registry } from './types.ts';

export interface RegistryOptions {
  store: Store;
  auth: Pick<Auth, 'isTaken' | 'registerResource' | 'removeResource'>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Seals and opens secret properties; without it, secret properties are rejected. */
  masterKey?: Pick<MasterKey, 'seal' | 'open'>;
}

/** Creates the registry. It does not need to be closed. */
export function createRegistry({ store, auth, now, masterKey }: RegistryOptions): Registry {
  const secrets = createSecretBox(masterKey);
  const context = { auth, now, secrets };
  const ledgers = createLedgerCache(store, secrets);
  const { read } = store;
  return {
    createLedger: (tx, input) => addLedger(tx, input, context),
    updateLedger: (tx, uid, change) => changeLedger(tx, uid, change, context),
    addNode: (tx, ledgerUid, input) => addNode(tx, ledgerUid, input, context),
    removeNode: (tx, nodeUid) => dropNode(tx, nodeUid, context),
    ledgerByUid: async (uid) => (await ledgers()).byUid.get(uid) ?? null,
    async ledgerByLedgerId(ledgerId, projectUid) {
      const found = (await ledgers()).byLedgerId.get(ledgerId) ?? [];
      const ofDeployer = found.find((record) => record.projectUid === null);
      if (projectUid === undefined) return ofDeployer ?? found[0] ?? null;
      return found.find((record) => record.projectUid === projectUid) ?? ofDeployer ?? null;
    },
    async ledgersByLedgerId(ledgerId) {
      const { byLedgerId, byUid } = await ledgers();
      const ofUid = byUid.get(ledgerId);
      return [...(byLedgerId.get(ledgerId) ?? []), ...(ofUid === undefined ? [] : [ofUid])];
    },
    explorerLink: createExplorerLinks(store),
    listLedgers: async (own) =>
      (await ledgers()).all.filter(({ projectUid }) => projectUid === null || projectUid === own),

    createGroup: (tx, input) => addGroup(tx, input, context),
    group: (groupId) => readGroup(read, groupId),
    createContract: (tx, input) => addContract(tx, input, context),
    registerDeployed: (tx, contract) => registerDeployedContract(tx, contract, context),
    contract: (projectUid, contractId) => readContract(read, projectUid, contractId),

    createTemplate: (tx, input) => addTemplate(tx, input, context),
    template: (projectUid, templateId) => readTemplate(read, projectUid, templateId),
    createSpecification: (tx, input) => addSpecification(tx, input, context),
    specification: (templateUid, tag) => readSpecification(read, templateUid, tag),
  };
}
