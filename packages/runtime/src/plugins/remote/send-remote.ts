import { AdapterError, type AdapterProblem, type Submission, type Submitted } from '@ledger-ops/adapter';
import { type MasterKey, SealError } from '@ledger-ops/base';
import type { RemoteLedger } from '@ledger-ops/cloud-wallet';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { openOperation, openSecret, readSend } from './sealed-send.ts';

/** Codes of inconclusive errors: the plugin may have received the request. */
const uncertain = new Set(['unavailable', 'timeout', 'not-opened', 'adapter-fault']);

export interface RemoteTarget {
  name: string;
  plugin: RemoteLedger;
  masterKey: MasterKey;
  url: string;
}

/**
 * Sends a request to the plugin. A response is treated as a rejection only if it rules out that the plugin
 * received the request.
 */
export async function sendRemote(
  { txId, bytes }: Submission,
  { name, plugin, masterKey, url }: RemoteTarget,
): Promise<Submitted> {
  try {
    const sealed = readSend(bytes);
    const { actionId, walletId } = sealed;
    const operation = openOperation(masterKey, sealed);
    const opened = (one: { walletId: string; sealedSecret: string }) => ({
      walletId: one.walletId,
      secret: openSecret(masterKey, { remoteWallet: one.walletId, url }, one.sealedSecret),
    });
    const others = sealed.others === undefined ? {} : { others: sealed.others.map(opened) };
    const { secret } = opened(sealed);
    const { txId: note } = await plugin.send({ actionId, walletId, secret, ...others, ...operation });
    return { txId, status: 'accepted', note };
  } catch (error) {
    // The request may have been sent to the previous URL, so this error does not prove that no plugin received it.
    if (error instanceof SealError) return { txId, status: 'unavailable', problem: unopened(name) };
    const problem = adapterProblemFrom(error);
    if (problem.data?.status === 413) return await tooLarge(plugin, txId, problem);
    const proves = error instanceof AdapterError && !uncertain.has(error.code);
    return { txId, status: proves ? 'rejected' : 'unavailable', problem };
  }
}

/** A proxy may reject a request as too large that the plugin received earlier, so the plugin is queried. */
async function tooLarge(plugin: RemoteLedger, txId: string, problem: AdapterProblem): Promise<Submitted> {
  const [known] = await plugin.status([txId]).catch(() => []);
  if (known === undefined) return { txId, status: 'unavailable', problem };
  return known.status === 'UNKNOWN'
    ? { txId, status: 'rejected', problem }
    : { txId, status: 'accepted', note: txId };
}

function unopened(name: string) {
  const detail = `The wallet was created by a remote plugin at a different URL than the plugin ${name} has now, so nothing is sent there. Restore the plugin's URL.`;
  return { code: 'unavailable', phase: 'submit', detail } as const;
}
