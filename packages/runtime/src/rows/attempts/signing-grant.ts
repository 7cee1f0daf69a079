import type { JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { Problem, SealError } from '@ledger-ops/base';
import { readJson, type Tx } from '@ledger-ops/store';
import { ActionSigner, type CoSigner } from '../../keys/signer.ts';
import type { GrantBinding, GrantVault } from '../../keys/vault.ts';
import { textList } from '../sql.ts';

export interface Grant {
  /** The opened signer. Whoever opened the grant must destroy it. */
  signer: ActionSigner;
  /** The part of the plan that is stored only in encrypted form. */
  secret: JsonObject | undefined;
}

/** The columns of a grant, in table `action_grant`. Table `attempt` has the same ones, except `others`. */
export interface SealedGrant {
  sealed: Uint8Array;
  secret: Uint8Array | null;
  /** JSON of {@link SealedOther}s; null if no other wallet signs. */
  others: string | null;
}

/** The encrypted signer of a co-signing wallet. It can be opened only for the same action and this wallet. */
interface SealedOther {
  walletUid: string;
  wallet: WalletIdentity;
  /** Encrypted bytes in base64. */
  sealed: string;
}

/** The columns of an action to which its grant is bound. */
export interface GrantedRow {
  id: string;
  wallet_uid: string;
  ledger_uid: string;
  operation: string;
  plan: string;
}

/** Returns the text that a grant is bound to: the operation as accepted, and the plan to be signed. */
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
 * Encrypts the signers and the secret, bound to the current values of the row.
 * @param sequence the only sequence with which replacements may be signed; absent if the action is not signed yet
 */
export function sealGrant(vault: GrantVault, row: GrantedRow, grant: Grant, sequence?: number): SealedGrant {
  const binding = bindingOf(row, sequence);
  const { sender, coSigners } = grant.signer;
  return {
    sealed: vault.sealGrant(sender, binding),
    secret: grant.secret === undefined ? null : vault.sealText(JSON.stringify(grant.secret), binding),
    others:
      coSigners.length === 0
        ? null
        : JSON.stringify(coSigners.map((coSigner) => sealOther(vault, binding, coSigner))),
  };
}

function sealOther(
  vault: GrantVault,
  binding: GrantBinding,
  { walletUid, wallet, signer }: CoSigner,
): SealedOther {
  const sealed = vault.sealGrant(signer, { ...binding, walletUid, other: wallet });
  return { walletUid, wallet, sealed: Buffer.from(sealed).toString('base64') };
}

/** @throws SealError if one of the signers cannot be opened; the others are then destroyed */
function openSigner(
  vault: GrantVault,
  sealed: Uint8Array,
  others: readonly SealedOther[],
  keyType: string | null,
  binding: GrantBinding,
): ActionSigner {
  const sender = vault.openGrant(sealed, keyType, binding);
  const coSigners: CoSigner[] = [];
  try {
    for (const { walletUid, wallet, sealed } of others) {
      const bound = { ...binding, walletUid, other: wallet };
      const signer = vault.openGrant(Buffer.from(sealed, 'base64'), keyType, bound);
      coSigners.push({ walletUid, wallet, signer });
    }
  } catch (error) {
    new ActionSigner(sender, coSigners).destroy();
    throw error;
  }
  return new ActionSigner(sender, coSigners);
}

/** Returns the problem of an action whose grant cannot be opened. */
export function unopened(): Problem {
  const detail =
    'The stored signing key of the action cannot be decrypted with the data stored next to it. Send the action again.';
  return new Problem('not-preparable', detail);
}

/**
 * Opens the grant of an action; returns null if there is none, or if it cannot be opened with the stored row.
 */
export function openGrant(
  vault: GrantVault,
  row: GrantedRow & Omit<SealedGrant, 'sealed'> & { sealed: Uint8Array | null },
  keyType: string | null,
  sequence?: number,
): Grant | null {
  if (row.sealed === null) return null;
  const binding = bindingOf(row, sequence);
  try {
    // `sealGrant` wrote this text, and `openText` authenticates it.
    const secret =
      row.secret === null ? undefined : readJson<JsonObject>(vault.openText(row.secret, binding));
    // `sealGrant` wrote these entries. Each can be opened only for its own wallet.
    const others = row.others === null ? [] : readJson<SealedOther[]>(row.others);
    return { signer: openSigner(vault, row.sealed, others, keyType, binding), secret };
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

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

/** Replaces the grant of an action that will be signed again, bound to another plan. */
export async function replaceGrant(tx: Tx, actionId: string, grant: SealedGrant): Promise<void> {
  await tx.run('UPDATE action_grant SET sealed = $2, secret = $3, others = $4 WHERE action_id = $1', [
    actionId,
    grant.sealed,
    grant.secret,
    grant.others,
  ]);
}

/** Deletes the grants of actions that need no further signatures. */
export async function eraseGrants(tx: Tx, actionIds: readonly string[]): Promise<void> {
  if (actionIds.length === 0) return;
  await tx.run(`DELETE FROM action_grant WHERE action_id IN ${textList(tx.dialect, '$1')}`, [
    JSON.stringify(actionIds),
  ]);
}
