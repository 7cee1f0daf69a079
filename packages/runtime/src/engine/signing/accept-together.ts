import { setImmediate as turn } from 'node:timers/promises';
import { insertActions } from '../../rows/actions/insert-actions.ts';
import { insertGrants, sealGrant } from '../../rows/attempts/signing-grant.ts';
import { BatchRefused } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import type { Acceptance } from './accept.ts';

/** Actions that are written in one turn of the event loop. */
const perTurn = 50;

/** Stores actions of any chains unsigned, in one transaction: dependencies before those that wait for them. */
export async function acceptTogether(
  { store, vault, meter, faults, announce, wake }: EngineContext,
  acceptances: readonly Acceptance[],
): Promise<void> {
  const sealed = sealAll(vault, acceptances);
  faults('accept:before-commit');
  const { ready, failed } = await store
    .transaction(async (tx) => {
      /** Chains that have something to sign, and actions whose dependencies failed before. */
      const seen = { ready: new Set<string>(), failed: new Set<string>() };
      for (let at = 0; at < sealed.length; at += perTurn) {
        const some = sealed.slice(at, at + perTurn);
        // The grants first: a dependency that has failed already erases them again.
        await insertGrants(
          tx,
          some.map(({ action, grant }) => [action.id, grant]),
        );
        const actions = some.map(({ action }) => action);
        const stages = await insertActions(tx, actions, 'ready');
        for (const { id, chain } of actions) {
          if (stages.get(id) === 'ready') seen.ready.add(chain);
          if (stages.get(id) === 'failed') seen.failed.add(id);
        }
        // One long transaction, and no long turn.
        await turn();
      }
      return seen;
    })
    .catch((error: unknown) => {
      throw (
        (error instanceof BatchRefused && [...error.refused.values()].find((one) => one !== null)) || error
      );
    });
  faults('accept:after-commit');
  for (const { action } of sealed) {
    meter.action(action.ledgerId, 'accepted');
    if (failed.has(action.id)) meter.action(action.ledgerId, 'failed');
  }
  announce(sealed.map(({ action }) => action.id));
  for (const chain of ready) wake(chain);
}

function sealAll(vault: EngineContext['vault'], acceptances: readonly Acceptance[]) {
  try {
    return acceptances.map(({ action, key, secret }) => {
      const { id, walletUid, ledgerUid, operation, plan } = action;
      const row = { id, wallet_uid: walletUid, ledger_uid: ledgerUid, operation, plan };
      return { action, grant: sealGrant(vault, row, { key, secret }) };
    });
  } finally {
    for (const { key } of acceptances) key.destroy();
  }
}
