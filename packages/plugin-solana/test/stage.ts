import type {
  AdapterDefinition,
  JsonObject,
  LedgerConfig,
  LedgerSession,
  PendingTransaction,
  ResolvedOperation,
  SignedTransaction,
  WalletIdentity,
} from '@ledger-ops/adapter';
import { createTestSigner, prepareAndSign, type TestSigner } from '@ledger-ops/adapter-kit/conformance';
import { getAddressDecoder } from '@solana/addresses';
import { quickAdapter } from './quick.ts';

/** A session with a wallet, and its log. */
export interface Actor {
  session: LedgerSession;
  wallet: WalletIdentity;
  signer: TestSigner;
  logged: string[];
}

export function ledgerOf(urls: readonly string[], properties: JsonObject = {}): LedgerConfig {
  return {
    ...{ ledgerId: 'test', technology: 'solana', properties },
    nodes: urls.map((uri, index) => ({ nodeId: `node-${index + 1}`, uri })),
  };
}

/** Opens a session with a wallet: a new one without funds, unless a signer is given. */
export async function openActor(
  ledger: LedgerConfig,
  definition: AdapterDefinition = quickAdapter,
  signer: TestSigner = createTestSigner('ed25519'),
): Promise<Actor> {
  const logged: string[] = [];
  const session = await definition.open(ledger, {
    now: Date.now,
    log: (_level, event, fields) => logged.push(`${event} ${JSON.stringify(fields ?? {})}`),
    signal: new AbortController().signal,
  });
  return { session, signer, logged, wallet: { address: getAddressDecoder().decode(signer.publicKey) } };
}

/** Checks, estimates, prepares and signs. */
export async function sign(
  { session, wallet, signer }: Actor,
  operation: ResolvedOperation,
  actionId = 'action',
): Promise<SignedTransaction> {
  let { plan, readiness } = await session.check({ wallet, operation });
  if (readiness === 'estimate') {
    const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
    if (estimated?.status !== 'ready')
      throw new Error(`The estimate is not ready: ${JSON.stringify(estimated)}`);
    ({ plan } = estimated);
  }
  const [main] = await prepareAndSign(session, { actionId, wallet, plan }, signer.sign);
  if (main === undefined) throw new Error('Nothing was prepared.');
  return main;
}

/** Pending transactions, as an argument of `confirm`. */
export function pendingOf(
  { wallet }: Actor,
  transactions: readonly SignedTransaction[],
): Map<string, PendingTransaction> {
  return new Map(
    transactions.map(({ txId, validUntil }) => [
      txId,
      { address: wallet.address, ...(validUntil === undefined ? {} : { validUntil }) },
    ]),
  );
}
