import type { JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { Problem, SealError } from '@ledger-ops/base';
import { readJson, type Tx } from '@ledger-ops/store';
import { jointKey } from '../../keys/joint-key.ts';
import type { GrantBinding, OtherKey, Vault, WalletKey } from '../../keys/types.ts';
import { textList } from '../sql.ts';

/** Unsealed. */
export interface Grant {
  /** To be destroyed by whoever opened it. */
  key: WalletKey;
  /** The part of the plan that is not stored in the clear. */
  secret: JsonObject | undefined;
}

/** The columns of table `action_grant`, and of what is kept beside a signed transaction. */
export interface SealedGrant {
  sealed: Uint8Array;
  secret: Uint8Array | null;
  /** JSON of {@link SealedOther}s; null: no other wallet signs. */
  others: string | null;
}

/** The key of another wallet, sealed for the same action and for this account. */
interface SealedOther {
  walletUid: string;
  wallet: WalletIdentity;
  /** Base64. */
  sealed: string;
}

/** The columns that a grant is bound to. */
export interface GrantedRow {
  id: string;
  wallet_uid: string;
  ledger_uid: string;
  operation: string;
  plan: string;
}

/** The text that a grant is bound to: the operation as accepted, and the plan that will be signed. */
function grantText(operation: string, plan: string): string {
  return `${operation}\n${plan}`;
}

function bindingOf(row: GrantedRow, sequence: number | undefined): GrantBinding {
  return {
    actionId: row.id,
    walletUid: row.wallet_uid,
    ledgerUid: row.ledger_uid,
    operation: grantText(row.operation, row.plan),
    ...(sequence === undefined ? {} : { sequence }),
  };
}

/**
 * Seals what will be needed to sign, bound to the row as it stands.
 * @param sequence what it may be signed at again; absent: it is not signed yet
 */
export function sealGrant(vault: Vault, row: GrantedRow, grant: Grant, sequence?: number): SealedGrant {
  const binding = bindingOf(row, sequence);
  const { own, others } = grant.key.parts ?? { own: grant.key, others: [] };
  return {
    sealed: vault.sealGrant(own, binding),
    secret: grant.secret === undefined ? null : vault.sealText(JSON.stringify(grant.secret), binding),
    others:
      others.length === 0 ? null : JSON.stringify(others.map((other) => sealOther(vault, binding, other))),
  };
}

function sealOther(vault: Vault, binding: GrantBinding, { walletUid, wallet, key }: OtherKey): SealedOther {
  const sealed = vault.sealGrant(key, { ...binding, walletUid, other: wallet });
  return { walletUid, wallet, sealed: Buffer.from(sealed).toString('base64') };
}

/** @throws SealError when one of them does not open; then none stays open */
function openKeys(
  vault: Vault,
  sealed: Uint8Array,
  others: readonly SealedOther[],
  keyType: string,
  binding: GrantBinding,
): WalletKey {
  const own = vault.openGrant(sealed, keyType, binding);
  const opened: OtherKey[] = [];
  try {
    for (const { walletUid, wallet, sealed } of others) {
      const bound = { ...binding, walletUid, other: wallet };
      opened.push({ walletUid, wallet, key: vault.openGrant(Buffer.from(sealed, 'base64'), keyType, bound) });
    }
  } catch (error) {
    jointKey(own, opened).destroy();
    throw error;
  }
  return jointKey(own, opened);
}

/** Why an action whose grant does not open has failed. */
export function unopened(): Problem {
  const detail = "The action's sealed grant does not open for what is stored with it. Send it again.";
  return new Problem('not-preparable', detail);
}

/** Null when there is none, or it does not open for what is stored with it. */
export function openGrant(
  vault: Vault,
  row: GrantedRow & Omit<SealedGrant, 'sealed'> & { sealed: Uint8Array | null },
  keyType: string,
  sequence?: number,
): Grant | null {
  if (row.sealed === null) return null;
  const binding = bindingOf(row, sequence);
  try {
    // Sealed by `sealGrant`, and authenticated when it opens.
    const secret =
      row.secret === null ? undefined : readJson<JsonObject>(vault.openText(row.secret, binding));
    // Written by `sealGrant`; each of them opens for its own account alone.
    const others = row.others === null ? [] : readJson<SealedOther[]>(row.others);
    return { key: openKeys(vault, row.sealed, others, keyType, binding), secret };
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Stores what actions need in order to be signed. */
export async function insertGrants(
  tx: Tx,
  grants: readonly (readonly [actionId: string, grant: SealedGrant])[],
): Promise<void> {
  await tx.insertMany(
    'action_grant',
    ['action_id', 'sealed', 'secret', 'others'],
    grants.map(([actionId, { sealed, secret, others }]) => [actionId, sealed, secret, others]),
  );
}

/** An action is signed once more by another plan: its grant is bound to that. */
export async function replaceGrant(tx: Tx, actionId: string, grant: SealedGrant): Promise<void> {
  await tx.run('UPDATE action_grant SET sealed = $2, secret = $3, others = $4 WHERE action_id = $1', [
    actionId,
    grant.sealed,
    grant.secret,
    grant.others,
  ]);
}

/** Of actions that need no more signatures. */
export async function eraseGrants(tx: Tx, actionIds: readonly string[]): Promise<void> {
  if (actionIds.length === 0) return;
  await tx.run(`DELETE FROM action_grant WHERE action_id IN ${textList(tx.dialect, '$1')}`, [
    JSON.stringify(actionIds),
  ]);
}
