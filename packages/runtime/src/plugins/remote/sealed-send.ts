import type { Json, JsonObject } from '@ledger-ops/adapter';
import type { MasterKey } from '@ledger-ops/base';
import { z } from 'zod';

const json: z.ZodType<Json> = z.json();
/** An operation as the protocol represents it. */
export const sentOperation = z.object({
  glo: z.custom<JsonObject>((value) => json.safeParse(value).success && typeof value === 'object'),
  contractInterface: z.string().exactOptional(),
  contractSource: z.object({ interface: z.string(), code: z.string() }).exactOptional(),
});

export type SentOperation = z.infer<typeof sentOperation>;

/**
 * A `send` request for a remote plugin, which is stored as UTF-8 JSON in place of signed bytes. The wallet's secret is
 * encrypted, and so is an operation that contains secrets.
 */
const message = z.object({
  actionId: z.string(),
  walletId: z.string(),
  sealedSecret: z.string(),
  /** The co-signing wallets. */
  others: z.array(z.object({ walletId: z.string(), sealedSecret: z.string() })).exactOptional(),
  operation: sentOperation.exactOptional(),
  sealedOperation: z.string().exactOptional(),
});
export type SealedSend = z.infer<typeof message>;

export function writeSend(send: SealedSend): Uint8Array {
  return Buffer.from(JSON.stringify(send), 'utf8');
}

/** @throws ZodError, SyntaxError if the bytes were not written by `writeSend` */
export function readSend(bytes: Uint8Array): SealedSend {
  return message.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** Seals an operation that contains secrets, to store it in the database. It can be opened only for its action. */
export function sealOperation(key: MasterKey, actionId: string, operation: SentOperation): string {
  const text = Buffer.from(JSON.stringify(operation), 'utf8');
  return Buffer.from(key.seal(text, operationPurpose(actionId))).toString('base64');
}

/** @throws SealError, ZodError */
export function openOperation(
  key: MasterKey,
  { actionId, operation, sealedOperation }: SealedSend,
): SentOperation {
  if (sealedOperation === undefined) return sentOperation.parse(operation);
  const text = key.open(Buffer.from(sealedOperation, 'base64'), operationPurpose(actionId));
  return sentOperation.parse(JSON.parse(Buffer.from(text).toString('utf8')));
}

function operationPurpose(actionId: string): string {
  return `remote-operation\n${actionId}`;
}

/**
 * Public material of a wallet whose keys a remote plugin holds. `url` is that of the plugin that created the wallet.
 */
const material = z.object({ remoteWallet: z.string(), url: z.string(), sealedSecret: z.string() });
export type RemoteMaterial = z.infer<typeof material>;

/** Reads the material of a wallet. Returns null if the wallet does not belong to a remote plugin. */
export function readMaterial(value: unknown): RemoteMaterial | null {
  return material.safeParse(value).data ?? null;
}

/** Identifies a plugin's wallet by its id at the plugin and the plugin's URL. */
export type RemoteWallet = Pick<RemoteMaterial, 'remoteWallet' | 'url'>;

/**
 * Seals the secret that identifies a wallet to its plugin, bound to the wallet's id and the plugin's URL. Somebody who
 * changes the URL, or registers another plugin for the ledger, does not get the secret.
 */
export function sealSecret(key: MasterKey, wallet: RemoteWallet, secret: string): string {
  return Buffer.from(key.seal(Buffer.from(secret, 'utf8'), purpose(wallet))).toString('base64');
}

/** @throws SealError if the secret was sealed for another wallet or another URL */
export function openSecret(key: MasterKey, wallet: RemoteWallet, sealed: string): string {
  return Buffer.from(key.open(Buffer.from(sealed, 'base64'), purpose(wallet))).toString('utf8');
}

function purpose({ remoteWallet, url }: RemoteWallet): string {
  return `remote-wallet\n${url}\n${remoteWallet}`;
}
