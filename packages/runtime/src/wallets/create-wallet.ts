import type { WalletIdentity } from '@ledger-ops/adapter';
import { type Auth, chosenId, type Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { LedgerRecord, Registry } from '@ledger-ops/registry';
import { type Store, uuidv7 } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { recordAnswer } from '../idempotency.ts';
import type { Signers } from '../keys/signers.ts';
import type { WalletVault } from '../keys/vault.ts';
import type {
  CreateWalletRequest,
  IdempotencyClaim,
  Ledgers,
  OpenLedger,
  WalletRow,
  WalletView,
} from '../types.ts';
import { readWalletParameters } from './parameters.ts';
import { type KeyPair, obtainKey } from './secret-source.ts';
import { readWallet, walletView } from './wallet-rows.ts';

/** What creating a wallet needs. */
export interface CreateWalletContext {
  store: Store;
  auth: Pick<Auth, 'demand' | 'registerResource'>;
  registry: Pick<Registry, 'ledgerByLedgerId'>;
  ledgers: Pick<Ledgers, 'open'>;
  vault: WalletVault;
  signers: Signers;
  now: () => number;
  minPasswordLength: number;
}

/** Rounds of signing that an adapter may ask for before a wallet must be made. */
const maxRounds = 8;

/** Creates a wallet: its key, its account on the ledger, its row and its resource. */
export async function createWallet(
  principal: Principal,
  request: CreateWalletRequest,
  claim: IdempotencyClaim | undefined,
  context: CreateWalletContext,
): Promise<WalletView> {
  const { store, auth, vault, signers, now } = context;
  await auth.demand(principal, 'wallet:create', principal.projectUid);
  const walletId = chosenId(request.walletId, '/walletId');
  const ledger = await usableLedger(principal, request.ledgerId, context);
  const open = await context.ledgers.open(ledger.uid, { projectUid: principal.projectUid });
  const { keyType } = open.definition;
  if (keyType !== 'secp256k1') {
    throw new Problem(
      'unsupported-operation',
      `The ledger ${ledger.ledgerId} needs keys of type ${keyType}, which this version does not hold.`,
    );
  }
  const { password, source } = readWalletParameters(request.pluginParameters, context.minPasswordLength);
  if ((await readWallet(store, principal.projectUid, walletId)) !== null) throw exists(walletId);
  const { id: chainId } = await open.chain();

  const caller = principal.serviceId;
  const pair = await obtainKey(source, keyType, caller, { signers, vault });
  let row: WalletRow;
  try {
    const identity = await openAccount(open, walletId, keyType, pair, signers);
    const binding = {
      uid: uuidv7(),
      ledgerUid: ledger.uid,
      keyType,
      publicKey: pair.publicKey,
      address: identity.address,
    };
    const at = now();
    row = {
      ...binding,
      ...(await vault.sealNewWallet(pair.secret, password, binding, caller)),
      projectId: principal.projectUid,
      walletId,
      ledgerId: ledger.ledgerId,
      chainId,
      material: identity.material === undefined ? null : JSON.stringify(identity.material),
      createdBy: caller,
      createdAt: at,
      updatedAt: at,
    };
  } finally {
    pair.secret.fill(0);
  }
  await store.transaction(async (tx) => {
    const { wallet } = tx.t;
    const added = await tx.db
      .insert(wallet)
      .values(row)
      .onConflictDoNothing({ target: [wallet.projectId, wallet.walletId] })
      .returning({ uid: wallet.uid });
    if (added.length === 0) throw exists(walletId);
    await auth.registerResource(tx, {
      uid: row.uid,
      resourceId: walletId,
      type: 'cloud-wallet',
      parentUid: principal.projectUid,
      owner: caller,
    });
    if (claim !== undefined) {
      const body = JSON.stringify({ walletAddress: row.address });
      await recordAnswer(tx, claim, 201, body, row.createdAt);
    }
  });
  return walletView(row);
}

async function usableLedger(
  principal: Principal,
  ledgerId: string,
  { registry }: CreateWalletContext,
): Promise<LedgerRecord> {
  const ledger = await registry.ledgerByLedgerId(ledgerId, principal.projectUid);
  const usable =
    ledger !== null && (ledger.projectUid === null || ledger.projectUid === principal.projectUid);
  if (!usable) {
    const detail = 'there is no ledger of this id that you may use';
    throw new Problem('not-found', `/ledgerId: ${detail}.`, { errors: [{ pointer: '/ledgerId', detail }] });
  }
  if (!ledger.active) {
    throw new Problem('conflict', `The ledger ${ledgerId} is not active: it takes no new wallets.`);
  }
  return ledger;
}

/** Goes through the adapter's rounds: on some ledgers an account must be asked for with signatures. */
async function openAccount(
  { session }: OpenLedger,
  walletId: string,
  keyType: string,
  { secret, publicKey }: KeyPair,
  signers: Signers,
): Promise<WalletIdentity> {
  const key = signers.open(keyType, secret);
  try {
    let round = await session.createWallet({ walletId, publicKey, parameters: {} });
    for (let rounds = 0; !round.done && rounds < maxRounds; rounds += 1) {
      const { requests, state } = round;
      round = await session.advanceWallet({ state, signatures: key.sign(requests) });
    }
    if (round.done) return round.result;
  } catch (error) {
    throw problemFrom(error);
  } finally {
    key.destroy();
  }
  throw new Problem('plugin-fault', `The ledger plugin made no wallet within ${maxRounds} rounds.`);
}

function exists(walletId: string): Problem {
  return new Problem('already-exists', `There is a wallet ${walletId} in this project already.`, {
    errors: [{ pointer: '/walletId', detail: 'exists already' }],
  });
}
