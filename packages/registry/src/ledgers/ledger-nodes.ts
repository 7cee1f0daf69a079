import { recordActivity, valueChanges } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import { pickVisible, type ServiceContext } from '../service.ts';
import type { Technologies } from '../technologies.ts';
import type { LedgerNodesContext } from './context.ts';
import { Explorers } from './explorers/explorer-service.ts';
import { Ledgers } from './ledger-service.ts';
import { ledgersOfId } from './ledger-views.ts';
import { Nodes } from './nodes/node-service.ts';
import { createSecretBox } from './properties/secrets.ts';
import type { NodeProbe } from './types.ts';

export interface LedgerNodesOptions extends ServiceContext {
  /** Seals and opens secret properties. */
  masterKey: Pick<MasterKey, 'seal' | 'open'>;
  /** Queries a node before it is registered. */
  probe: NodeProbe;
  technologies: Technologies;
}

/** Ledgers, nodes and explorers for a caller. */
export interface LedgerNodes {
  readonly ledgers: Ledgers;
  readonly nodes: Nodes;
  readonly explorers: Explorers;
}

/** Creates the services for ledgers, nodes and explorers. They do not need to be closed. */
export function createLedgerNodes({ masterKey, ...context }: LedgerNodesOptions): LedgerNodes {
  const { read } = context.store;
  const whole: LedgerNodesContext = {
    ...context,
    secrets: createSecretBox(masterKey),
    findLedger: async (principal, ledgerId) =>
      await pickVisible(context, principal, 'ledger', await ledgersOfId(read, ledgerId)),
    async record(tx, principal, action, resourceType, { uid, resourceId, scope, name }, update) {
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
          resourceName: name,
          ...(update === undefined ? {} : { changes: valueChanges(update) }),
        },
        context.now(),
      );
    },
  };
  return { ledgers: new Ledgers(whole), nodes: new Nodes(whole), explorers: new Explorers(whole) };
}
