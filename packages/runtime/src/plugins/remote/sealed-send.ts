import type { Json, JsonObject } from '@ledger-ops/adapter';
import type { MasterKey } from '@ledger-ops/base';
import { z } from 'zod';

const json: z.ZodType<Json> = z.json();
/** An operation in the format of the protocol. */
export const sentOperation = z.object({
  glo: z.custom<JsonObject>((value) => json.safeParse(value).success && typeof value === 'object'),
  contractInterface: z.string().exactOptional(),
  contractSource: z.object({ interface: z.string(), code: z.string() }).exactOptional(),
});

export type SentOperation = z.infer<typeof sentOperation>;

/**
 * A `send` request for a remote plugin, stored in place of signed bytes. The wallet's secret and any
 * operation that contains secrets stay encrypted. UTF-8 JSON.
 */
const message = z.object({
  actionId: z.string(),
  walletId: z.string(),
  sealedSecret: z.string(),
  /** Co-signing wallets. */
  others: z.array(z.object({ walletId: z.string(), sealedSecret: z.string() })).exactOptional(),
  operation: sentOperation.exactOptional(),
  sealedOperation: z.string().exactOptional(),
});
export type SealedSend = z.infer<typeof message>;

export function writeSend(send: SealedSend): Uint8Array {
  return Buffer.from(JSON.stringify(send), 'utf8');
}

/** @throws ZodError, SyntaxError if `writeSend` did not write the bytes */
export function readSend(bytes: Uint8Array): SealedSend {
  return message.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** Seals an operation with secrets for storage in the database, bound to its action. */
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
 * Public material of a wallet whose keys a remote plugin holds. `url` is the URL of the plugin that created
 * the wallet.
 */
const material = z.object({ remoteWallet: z.string(), url: z.string(), sealedSecret: z.string() });
export type RemoteMaterial = z.infer<typeof material>;

/** Returns null if the wallet does not belong to a remote plugin. */
export function readMaterial(value: unknown): RemoteMaterial | null {
  return material.safeParse(value).data ?? null;
}

/** Identifies a wallet of a plugin: its id at the plugin, and the plugin's URL. */
export type RemoteWallet = Pick<RemoteMaterial, 'remoteWallet' | 'url'>;

/**
 * Seals the secret that identifies a wallet to its plugin, bound to the wallet's id and the plugin's URL. Changing the URL,
 * or registering another plugin for the ledger, does not reveal the secret.
 */
export function sealSecret(key: MasterKey, wallet: RemoteWallet, secret: string): string {
  return Buffer.from(key.seal(Buffer.from(secret, 'utf8'), purpose(wallet))).toString('base64');
}

/** @throws SealError for another wallet or another URL */
export function openSecret(key: MasterKey, wallet: RemoteWallet, sealed: string): string {
  return Buffer.from(key.open(Buffer.from(sealed, 'base64'), purpose(wallet))).toString('utf8');
}

function purpose({ remoteWallet, url }: RemoteWallet): string {
  return `remote-wallet\n${url}\n${remoteWallet}`;
}
