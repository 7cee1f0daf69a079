import { recordActivity } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import { pickVisible, type ServiceContext } from '../service.ts';
import type { Technologies } from '../technologies.ts';
import type { LedgerNodesContext } from './context.ts';
import { createExplorers } from './explorers/explorer-service.ts';
import { createLedgers } from './ledger-service.ts';
import { ledgersOfId } from './ledger-views.ts';
import { createNodes } from './nodes/node-service.ts';
import { createSecretBox } from './properties/secrets.ts';
import type { LedgerNodes, NodeProbe } from './types.ts';

/** Options of ledgers, nodes and explorers. */
export interface LedgerNodesOptions extends ServiceContext {
  /** Seals and opens secret properties. */
  masterKey: Pick<MasterKey, 'seal' | 'open'>;
  /** Asks a node before it is recorded. */
  probe: NodeProbe;
  technologies: Technologies;
}

/** Makes the services of ledgers, nodes and explorers. They hold nothing that has to be closed. */
export function createLedgerNodes({ masterKey, ...context }: LedgerNodesOptions): LedgerNodes {
  const { read } = context.store;
  const whole: LedgerNodesContext = {
    ...context,
    secrets: createSecretBox(masterKey),
    findLedger: async (principal, ledgerId) =>
      await pickVisible(context, principal, 'ledger', await ledgersOfId(read, ledgerId)),
    async record(tx, principal, action, resourceType, { uid, resourceId, scope, name }) {
      await recordActivity(
        tx,
        principal,
        {
          action,
          service: 'ledger-nodes',
          resourceUid: uid,
          resourceId,
          resourceType,
          scope,
          targetObject: name,
        },
        context.now(),
      );
    },
  };
  return { ledgers: createLedgers(whole), nodes: createNodes(whole), explorers: createExplorers(whole) };
}
