import { AdapterError, type WalletIdentity } from '@ledger-ops/adapter';
import { type Auth, chosenId, type Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { LedgerRecord, Registry } from '@ledger-ops/registry';
import type { IdempotencyClaim } from '@ledger-ops/store';
import { forUpdate, once, type Store, uuidv7 } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { withOutboundSetting } from '../actions/outbound-setting.ts';
import { problemFrom } from '../adapter-problem.ts';
import { keyTypeColumn } from '../keys/plugin-key.ts';
import { signRounds } from '../keys/sign-rounds.ts';
import type { Signers } from '../keys/signers.ts';
import type { Vault } from '../keys/vault.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Log } from '../log.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { suspendNewWallet } from '../rows/unknown-transactions.ts';
import { beingCreated, dropDraft, keepDraft, readDraft, type WalletDraft } from './drafts.ts';
import { beginExclusive, type KnownHistory, knownHistoryOf } from './known-history.ts';
import { readWalletParameters, type WalletParameters } from './parameters.ts';
import { recordWallet } from './record-wallet.ts';
import { type KeyPair, obtainKey } from './secret-source.ts';
import type { CreateWalletRequest, WalletRow, WalletView } from './types.ts';
import { storedIdentity, walletView } from './wallet-rows.ts';

export interface WalletContext {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand' | 'isTaken' | 'registerResource'>;
  registry: Pick<Registry, 'ledgerByLedgerId'>;
  ledgers: Pick<Ledgers, 'open'>;
  vault: Vault;
  signers: Signers;
  log: Log;
  now: () => number;
  minPasswordLength: number;
  /** Uids of drafts that a request on this server is working on. */
  busy: Set<string>;
}

interface Making {
  principal: Principal;
  walletId: string;
  ledger: LedgerRecord;
  open: OpenLedger;
  parameters: WalletParameters;
  exclusive: boolean;
  /** The draft of an earlier, interrupted request. */
  draft: WalletDraft | null;
}

/**
 * Creates a wallet: its key, its account on the ledger, its row and its resource. If the ledger requires several
 * signing rounds, the sealed key is stored first, so that a repeated request continues with the same key after an
 * interruption.
 */
export async function createWallet(
  principal: Principal,
  request: CreateWalletRequest,
  claim: IdempotencyClaim | undefined,
  context: WalletContext,
): Promise<WalletView> {
  const { store, auth, now, busy } = context;
  await auth.demand(principal, 'wallet:create', principal.projectUid);
  const walletId = chosenId(request.walletId, '/walletId');
  const ledger = await usableLedger(principal, request.ledgerId, context);
  const open = await context.ledgers.open(ledger.uid, { projectUid: principal.projectUid });
  const parameters = readWalletParameters(
    open.definition,
    request.pluginParameters,
    context.minPasswordLength,
  );
  const asResource = { type: 'cloud-wallet', parentUid: principal.projectUid, resourceId: walletId } as const;
  if (await auth.isTaken(store.read, asResource)) throw exists(walletId);
  const draft = await readDraft(store, principal.projectUid, walletId, now());
  if (draft !== null) {
    if (draft.createdBy !== principal.serviceId) throw exists(walletId);
    if (draft.ledgerUid !== ledger.uid || draft.keyType !== open.definition.keyType)
      throw begunElsewhere(walletId);
    if (busy.has(draft.uid)) throw beingCreated(walletId);
  }
  const throwWithSetting = async (error: unknown) => {
    throw await withOutboundSetting(error, auth, principal, ledger.uid);
  };
  const { id: chainId } = await open.chain().catch(throwWithSetting);
  const exclusive = exclusiveOf(request, open, parameters);
  const uid = draft?.uid ?? uuidv7();
  busy.add(uid);
  try {
    const making = { principal, walletId, ledger, open, parameters, exclusive, draft };
    return await make(making, uid, chainId, claim, context).catch(throwWithSetting);
  } finally {
    busy.delete(uid);
  }
}

async function make(
  making: Making,
  draftUid: string,
  chainId: string,
  claim: IdempotencyClaim | undefined,
  context: WalletContext,
): Promise<WalletView> {
  const { principal, walletId, ledger, open, parameters, exclusive } = making;
  const { keyType } = open.definition;
  const caller = principal.serviceId;
  const pair = await keyOf(making, context);
  try {
    const identity = await openAccount(making, pair, draftUid, context);
    const binding = {
      // The wallet gets a new uid, so that values that were encrypted for the draft's uid cannot be opened for the
      // wallet.
      uid: uuidv7(),
      ledgerUid: ledger.uid,
      keyType,
      publicKey: pair.publicKey,
      address: identity.address,
    };
    const at = context.now();
    const row: WalletRow = {
      ...binding,
      ...(await context.vault.sealNewWallet(pair.secret, parameters.password, binding, principal)),
      ...storedIdentity(identity),
      projectId: principal.projectUid,
      walletId,
      ledgerId: ledger.ledgerId,
      chainId,
      exclusive: exclusive ? 1 : 0,
      createdBy: caller,
      createdAt: at,
      updatedAt: at,
    };
    const isNew = parameters.source.kind === 'new';
    const known = exclusive ? await knownHistoryOf(context.store, open, identity.address, isNew) : null;
    await insert(principal, row, draftUid, known, claim, context);
    return walletView(row);
  } finally {
    pair.secret.fill(0);
  }
}

/**
 * @throws Problem `invalid-request` if the plugin holds the key, because it is then unknown whether others sign with it
 */
function exclusiveOf(
  { exclusive }: CreateWalletRequest,
  { definition }: OpenLedger,
  { source }: WalletParameters,
): boolean {
  if (definition.keyType !== null) return exclusive ?? source.kind === 'new';
  if (exclusive !== true) return false;
  const detail = 'must not be true, because the plugin of this ledger keeps the keys itself';
  throw invalidRequest([{ pointer: '/exclusive', detail }]);
}

/** Returns the draft's key, the imported key or a new key. */
async function keyOf(making: Making, { vault, signers }: WalletContext): Promise<KeyPair> {
  const { principal, walletId, ledger, open, parameters, draft } = making;
  const { password, source } = parameters;
  if (draft === null || source.kind !== 'new') {
    const pair = await obtainKey(source, open.definition.keyType, principal, { signers, vault });
    if (draft === null || Buffer.from(draft.publicKey).equals(pair.publicKey)) return pair;
    pair.secret.fill(0);
    throw exists(walletId);
  }
  const sealed = { ...draft, ...unknownYet, ledgerId: ledger.ledgerId, updatedAt: draft.createdAt };
  return { secret: await vault.openSecret(sealed, password, principal), publicKey: draft.publicKey };
}

/** Columns that are known only once the account exists. */
const unknownYet = {
  ...{ address: '', chainId: '', material: null, aliases: null, renewAt: null, exclusive: 0 },
};

/** Creates the account on the ledger. The key is stored before anything is signed with it. */
async function openAccount(
  { principal, walletId, ledger, open, parameters, draft }: Making,
  { secret, publicKey }: KeyPair,
  draftUid: string,
  { store, vault, signers, now }: WalletContext,
): Promise<WalletIdentity> {
  const { keyType } = open.definition;
  const caller = principal.serviceId;
  let kept = false;
  const keep = async () => {
    if (draft !== null) return;
    const binding = { uid: draftUid, ledgerUid: ledger.uid, keyType, publicKey };
    const sealed = await vault.sealNewWallet(
      secret,
      parameters.password,
      { ...binding, address: unknownYet.address },
      principal,
    );
    const row = { ...binding, ...sealed, projectId: principal.projectUid, walletId };
    await keepDraft(store, { ...row, createdBy: caller, createdAt: now() });
    kept = true;
  };
  const signer = signers.open(keyType, secret);
  try {
    const first = await open.session.createWallet({ walletId, publicKey, parameters: parameters.forAdapter });
    return await signRounds(first, signer, (signed) => open.session.advanceWallet(signed), keep);
  } catch (error) {
    // The ledger refused this key and did not create an account for it, so the wallet id becomes available again.
    if (kept && isRefusal(error)) await store.transaction((tx) => dropDraft(tx, draftUid));
    throw problemFrom(error, (at) => at.replace(/^\/parameters(?=\/)/, '/pluginParameters'));
  } finally {
    signer.destroy();
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof AdapterError &&
    !['unavailable', 'timeout', 'not-opened', 'adapter-fault'].includes(error.code)
  );
}

async function insert(
  principal: Principal,
  row: WalletRow,
  draftUid: string,
  known: KnownHistory | null,
  claim: IdempotencyClaim | undefined,
  { store, auth, vault }: WalletContext,
): Promise<void> {
  await once(store, { claim, status: 201 }, async (tx) => {
    const { wallet, ledger } = tx.t;
    // The ledger's row is locked until the transaction ends, so that the ledger cannot be deleted in the meantime.
    const [its] = await forUpdate(
      tx,
      tx.db.select({ uid: ledger.uid }).from(ledger).where(eq(ledger.uid, row.ledgerUid)),
    );
    if (its === undefined) throw noLedger();
    const added = await tx.db
      .insert(wallet)
      .values({ ...row, keyType: keyTypeColumn(row.keyType) })
      .onConflictDoNothing({ target: [wallet.projectId, wallet.walletId] })
      .returning({ uid: wallet.uid });
    if (added.length === 0) throw exists(row.walletId);
    await dropDraft(tx, draftUid);
    if (known !== null) await beginExclusive(tx, row, known);
    await suspendNewWallet(tx, row, row, row.createdAt);
    await vault.markKnown(tx, row.createdBy, row.uid);
    await auth.registerResource(tx, {
      uid: row.uid,
      resourceId: row.walletId,
      type: 'cloud-wallet',
      parentUid: row.projectId,
      pointer: '/walletId',
      owner: row.createdBy,
    });
    await recordWallet(tx, principal, 'create', row, row.createdAt);
    return { walletAddress: row.address };
  });
}

async function usableLedger(
  principal: Principal,
  ledgerId: string,
  { registry }: WalletContext,
): Promise<LedgerRecord> {
  const ledger = await registry.ledgerByLedgerId(ledgerId, principal.projectUid);
  const usable =
    ledger !== null && (ledger.projectUid === null || ledger.projectUid === principal.projectUid);
  if (!usable) {
    throw noLedger();
  }
  if (!ledger.active) {
    throw new Problem('conflict', `The ledger ${ledgerId} is not active, so it does not accept new wallets.`);
  }
  return ledger;
}

function exists(walletId: string): Problem {
  return new Problem('already-exists', `A wallet with the id ${walletId} already exists in this project.`, {
    errors: [{ pointer: '/walletId', detail: 'already exists' }],
  });
}

/** The account may exist, so its key must not be lost. */
function begunElsewhere(walletId: string): Problem {
  const detail = `You began to create the wallet ${walletId} on another ledger, and its account may exist there. Repeat that request, or choose a different id.`;
  return new Problem('already-exists', detail, {
    errors: [{ pointer: '/walletId', detail: 'belongs to an interrupted request for another ledger' }],
  });
}

function noLedger(): Problem {
  const detail = 'must be a ledger of your project, or one that all projects use';
  return new Problem('not-found', `/ledgerId: ${detail}.`, { errors: [{ pointer: '/ledgerId', detail }] });
}
